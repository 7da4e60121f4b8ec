// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.PoolListener;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One process of a service, through all its restarts: the counters go on. Not thread-safe. */
final class Instance implements PoolListener {

    private final World world;
    private final int number;
    private final String name;
    private final Scenario.Service service;
    private final Levels.Level level;
    private final Discards discards = new Discards();
    private final List<Incarnation> leaving = new ArrayList<>();
    private @Nullable Incarnation current;
    private int starts;
    private long empties;
    private long opened;
    private long openFailures;
    final Load.Counts work = new Load.Counts();
    private long pastDenies;

    Instance(World world, int number, String name, Scenario.Service service) {
        this.world = world;
        this.number = number;
        this.name = name;
        this.service = service;
        this.level = new Levels.Level(service);
    }

    int number() {
        return number;
    }

    String name() {
        return name;
    }

    Scenario.Service service() {
        return service;
    }

    Levels.Level level() {
        return level;
    }

    // ---- its life

    /** Starts it, unless someone else has: a crash and a deployment may both want it back. */
    void start() {
        if (current != null) {
            return;
        }
        Incarnation next = new Incarnation(world, this, Dice.of(world.seed(), ((long) number << 16) + ++starts));
        current = next;
        world.judge().levels().expect(this, starts == 1 ? "its start" : "its restart");
        next.start();
    }

    /** Shuts it down as a deployment does, and starts it again. */
    void restart(long downtimeNanos) {
        Incarnation old = current;
        if (old == null) {
            return;
        }
        world.journal().incident(name, "restarts");
        gone(old);
        leaving.add(old);
        old.shutDown();
        world.time().schedule(world.time().nanos() + downtimeNanos, this::start);
    }

    /** Ends it without a word. */
    void crash() {
        Incarnation old = current;
        if (old == null) {
            return;
        }
        world.journal().incident(name, "crashes");
        gone(old);
        old.crash();
    }

    /** The run is over. */
    void over() {
        if (current != null) {
            current.load().over();
        }
    }

    private void gone(Incarnation old) {
        pastDenies += old.limiterDenies();
        current = null;
        world.judge().levels().down(this);
    }

    boolean isUp() {
        return current != null;
    }

    boolean isCurrent(Incarnation incarnation) {
        return current == incarnation;
    }

    // ---- what its pools say

    @Override
    public void foundEmpty() {
        empties++;
        world.judge().empty(this);
    }

    @Override
    public void opened(int open, long connectNanos) {
        opened++;
    }

    @Override
    public void openFailed(OpenFailure failure, int attempt, long delayNanos) {
        openFailures++;
        world.journal()
                .note(
                        name,
                        failure.cause().label(),
                        "could not open a connection: " + failure.error().getMessage());
    }

    @Override
    public void discarded(DiscardReason reason, long remainingNanos) {
        discards.count(reason);
    }

    @Override
    public void sweeping(int connections) {
        world.journal().note(name, "sweep", "found a dead connection and checks the other " + connections);
    }

    @Override
    public void heldTooLong(Object value, long heldNanos) {
        world.journal().note(name, "leak", "a connection has not come back: a leak?");
    }

    long empties() {
        return empties;
    }

    long opened() {
        return opened;
    }

    long openFailures() {
        return openFailures;
    }

    Discards discards() {
        return discards;
    }

    int inUse() {
        return current == null ? 0 : current.load().inUse();
    }

    Sample sample(long now) {
        Incarnation running = current;
        leaving.removeIf(Incarnation::isGone);
        int size = running == null ? 0 : running.size();
        for (Incarnation old : leaving) {
            size += old.size();
        }
        return new Sample(
                now,
                name,
                size,
                service.targetReady(),
                inUse(),
                work.checkouts,
                empties,
                discards.total(),
                discards.of(DiscardReason.EXPIRED_ON_CHECKOUT)
                        + discards.of(DiscardReason.EXPIRED_ON_RETURN)
                        + discards.of(DiscardReason.EXPIRED_ON_SCAN),
                discards.of(DiscardReason.INSUFFICIENT_REMAINING_LIFETIME)
                        + discards.of(DiscardReason.EXPIRING_SOON_ON_SCAN),
                discards.of(DiscardReason.RESERVOIR_FULL),
                opened,
                openFailures,
                discards.of(DiscardReason.EXPIRED_ON_SCAN)
                        + discards.of(DiscardReason.EXPIRING_SOON_ON_SCAN)
                        + discards.of(DiscardReason.REPLACED),
                pastDenies + (running == null ? 0 : running.limiterDenies()),
                work.started,
                work.completed);
    }
}
