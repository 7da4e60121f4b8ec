// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import dev.forebay.registry.Wiring;
import java.util.concurrent.atomic.LongAdder;

/** The bytes that went to a server and came from it. Thread-safe. */
final class TrafficCount {

    private final LongAdder sent = new LongAdder();
    private final LongAdder received = new LongAdder();

    void sent(int bytes) {
        sent.add(bytes);
    }

    void received(int bytes) {
        received.add(bytes);
    }

    Wiring.Traffic now() {
        return new Wiring.Traffic(sent.sum(), received.sum());
    }
}
