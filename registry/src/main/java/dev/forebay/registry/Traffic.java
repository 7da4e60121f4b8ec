// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import java.util.concurrent.atomic.LongAdder;

/** The bytes that went to a server and came from it. Thread-safe. */
final class Traffic {

    private final LongAdder sent = new LongAdder();
    private final LongAdder received = new LongAdder();

    void sent(int bytes) {
        sent.add(bytes);
    }

    void received(int bytes) {
        received.add(bytes);
    }

    long sent() {
        return sent.sum();
    }

    long received() {
        return received.sum();
    }
}
