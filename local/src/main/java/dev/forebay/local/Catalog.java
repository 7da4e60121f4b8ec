// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import java.util.concurrent.atomic.AtomicLong;

/** The number of changes to the catalog: a transaction that began before the last one fails with OC001. Thread-safe. */
final class Catalog {

    private final AtomicLong version = new AtomicLong();

    long version() {
        return version.get();
    }

    void changed() {
        version.incrementAndGet();
    }
}
