// SPDX-License-Identifier: Apache-2.0
package dev.forebay.micrometer;

import dev.forebay.engine.Metric;
import dev.forebay.engine.Observer;
import dev.forebay.engine.PoolListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The metrics that each room shows to an observer. */
final class Catalogues {

    private Catalogues() {}

    static List<Metric<?>> ofPools() {
        return shownBy(observer -> new PoolListener.Observed(observer).show("history", () -> {
            throw new AssertionError("not read");
        }));
    }

    private static List<Metric<?>> shownBy(Consumer<Observer> room) {
        List<Metric<?>> all = new ArrayList<>();
        room.accept(new Observer() {
            @Override
            public <S> Observation observe(String owner, List<Metric<S>> metrics, Supplier<S> stats) {
                all.addAll(metrics);
                return Observation.NONE;
            }
        });
        return all;
    }
}
