// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import java.util.concurrent.atomic.AtomicLong;

/** How often the catalog has changed: who began before its last change fails with OC001. Thread-safe. */
final class Catalog {

    private final AtomicLong version = new AtomicLong();

    long version() {
        return version.get();
    }

    void changed() {
        version.incrementAndGet();
    }
}
