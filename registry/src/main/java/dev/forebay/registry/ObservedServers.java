// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.Observer;
import dev.forebay.engine.Observer.Observation;
import dev.forebay.registry.RemoteMetrics.Event;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Shows the servers of a registry to an observer. Thread-safe. */
final class ObservedServers implements RegistryListener {

    private final Observer observer;
    private final Map<String, Observation> shown = new ConcurrentHashMap<>();

    ObservedServers(Observer observer) {
        this.observer = observer;
    }

    /** Begins to show a server, with the metrics that its first numbers allow. */
    void show(String server, Supplier<RemoteStats> stats) {
        shown.computeIfAbsent(server, name -> observer.observe(name, RemoteMetrics.of(stats.get()), stats));
    }

    /** Stops showing a server that has gone. */
    void hide(String server) {
        shown.computeIfPresent(server, (name, observation) -> {
            observation.close();
            return null;
        });
    }

    /** Stops showing all of them. */
    void hideAll() {
        shown.keySet().forEach(this::hide);
    }

    private Observation of(String server) {
        return shown.getOrDefault(server, Observation.NONE);
    }

    @Override
    public void opened(String server, String localUser, long connectNanos) {
        of(server).record(Event.OPENED, connectNanos);
    }

    @Override
    public void queried(String server, String localUser, long nanos) {
        of(server).record(Event.QUERIED, nanos);
    }

    @Override
    public void discarded(String server, String localUser, DiscardReason reason) {
        if (reason == DiscardReason.BAD_CONNECTION || reason == DiscardReason.FAILED_VALIDATION) {
            of(server).count(Event.FAILED);
        }
    }
}
