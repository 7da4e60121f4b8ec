// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.engine.Admission;
import dev.forebay.engine.Admission.Grant;
import dev.forebay.engine.OpenFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One instance of a fleet: a machine, its ledger, and the connections it has opened. */
final class LedgerInstance {

    final FleetWorld.Machine machine;
    final Ledger ledger;
    final List<Grant> connections = new ArrayList<>();
    final List<String> refusals = new ArrayList<>();
    final List<String> events = new ArrayList<>();

    /** Asks without an answer. */
    int asked;

    int refused;

    LedgerInstance(FleetWorld world, FleetWorld.Machine machine, LedgerConfig config) {
        this.machine = machine;
        FleetListener listener = new FleetListener() {
            @Override
            public void storeLost(String trouble, String message) {
                events.add("lost " + trouble);
            }

            @Override
            public void storeFound(long outageNanos) {
                events.add("found");
            }

            @Override
            public void leaseLost(int held) {
                events.add("lease lost with " + held);
            }

            @Override
            public void reaped(String lease, long slots) {
                events.add("reaped " + slots);
            }

            @Override
            public void draining(int held, long leftNanos) {
                events.add("draining " + held);
            }
        };
        GuardedStore store = new GuardedStore(machine, Duration.ofSeconds(5), machine, world.random, listener);
        this.ledger = new Ledger(config, store, machine, machine, world.random, listener);
    }

    void ask(int count) {
        for (int i = count - 1; i >= 0; i--) {
            int behind = i;
            asked++;
            ledger.ask(machine.nanos(), new Admission.Answer() {
                @Override
                public int behind() {
                    return behind;
                }

                @Override
                public void granted(Grant grant) {
                    asked--;
                    connections.add(grant);
                }

                @Override
                public void notBefore(long nanos) {
                    throw new AssertionError("a ledger grants or fails");
                }

                @Override
                public void failed(OpenFailure failure) {
                    asked--;
                    refused++;
                    refusals.add(failure.cause() + ": " + failure.error().getMessage());
                }
            });
        }
    }

    void close(int count) {
        for (int i = 0; i < count && !connections.isEmpty(); i++) {
            connections.remove(connections.size() - 1).release();
        }
    }

    /** The connections that a lease is known to cover. */
    int covered() {
        return ledger.stats().held() - ledger.stats().excess();
    }
}
