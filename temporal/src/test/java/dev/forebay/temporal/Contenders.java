// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.ConditionFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Runs the same on many threads that begin together. */
final class Contenders {

    private Contenders() {}

    /** The action of each contender. */
    interface Deed<T> {
        T as(int contender) throws Exception;
    }

    /** The outcome: the winners' values, and how many lost by a fence. */
    record Outcome<T>(List<T> won, int lost) {}

    /** Runs {@code deed}; who meets a condition that failed has lost, anything else that is thrown fails the test. */
    static <T> Outcome<T> run(int contenders, Deed<T> deed) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(contenders);
        CyclicBarrier start = new CyclicBarrier(contenders);
        try {
            List<Future<T>> all = new ArrayList<>();
            for (int i = 0; i < contenders; i++) {
                int contender = i;
                all.add(threads.submit(() -> {
                    start.await();
                    return deed.as(contender);
                }));
            }
            List<T> won = new ArrayList<>();
            int lost = 0;
            for (Future<T> one : all) {
                try {
                    won.add(one.get(120, TimeUnit.SECONDS));
                } catch (ExecutionException e) {
                    if (!(e.getCause() instanceof ConditionFailedException)
                            && !(e.getCause() instanceof TemporalException)) {
                        throw e;
                    }
                    lost++;
                }
            }
            return new Outcome<>(won, lost);
        } finally {
            threads.shutdownNow();
        }
    }
}
