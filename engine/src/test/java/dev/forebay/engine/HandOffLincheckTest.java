// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.forebay.time.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Checkout, return and waiting under every interleaving that Lincheck finds: a pool of two connections must behave as a
 * counter of two, and nobody may wait beside a ready connection. Each property has a control that is known to break it.
 */
class HandOffLincheckTest {

    /** How many are tried; the controls may need all ten. */
    private static final int SCENARIOS = Boolean.getBoolean("test.full") ? 10 : 4;

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(10)
                .invocationsPerIteration(200)
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0);
    }

    @Test
    void checkoutAndReturnAreLinearizable() {
        options().iterations(SCENARIOS).check(Exact.class);
    }

    @Test
    void nobodyIsForgotten() {
        options().iterations(SCENARIOS).check(Waiting.class);
    }

    /** A searcher that finds a word empty hides what is published there meanwhile, for a moment, from all who search. */
    @Test
    void nobodyWaitsForWhatASearcherHides() {
        ExecutionScenario scenario = new ExecutionScenario(
                List.of(),
                List.of(
                        List.of(actor(Hidden.class, "claim")),
                        List.of(actor(Hidden.class, "giveBackFirst"), actor(Hidden.class, "giveBackSecond")),
                        List.of(actor(Hidden.class, "queue"))),
                List.of(),
                actor(Hidden.class, "nobodyIsForgotten"));
        options()
                .iterations(0)
                .invocationsPerIteration(5_000)
                .addCustomScenario(scenario)
                .check(Hidden.class);
    }

    private static Actor actor(Class<?> type, String name) {
        try {
            return new Actor(type.getMethod(name), List.of());
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    /** The control for the first: one who looks whether a connection is ready and then takes it, in two steps. */
    @Test
    void aClaimInTwoStepsIsCaught() {
        assertThrows(LincheckAssertionError.class, () -> options().check(TwoSteps.class));
    }

    /** The control for the second: a returner who publishes and does not look whether someone waits. */
    @Test
    void aReturnThatDoesNotLookForWaitersIsCaught() {
        assertThrows(LincheckAssertionError.class, () -> options().check(Careless.class));
    }

    /** A pool of two connections that exist from the start, and at most one checkout for each thread. */
    abstract static class TwoConnections {
        final Pool<Integer> pool;
        private final Checkout<Integer>[] held = checkouts(8);

        TwoConnections() {
            Stillness time = new Stillness();
            PoolConfig config = PoolConfig.builder(Supply.reservoir(2), 2).build();
            pool = new Pool<>(config, new Immediately(), List.of(), time, new Random(1), PoolListener.NONE);
            pool.start();
            pool.poll(0);
        }

        @SuppressWarnings("unchecked")
        private static Checkout<Integer>[] checkouts(int count) {
            return new Checkout[count];
        }

        abstract boolean take(Checkout<Integer> checkout, int thread);

        void giveBack(Checkout<Integer> checkout) {
            checkout.returnToPool();
        }

        final String takeFor(int thread) {
            if (held[thread] != null) {
                return "has one";
            }
            Checkout<Integer> checkout = new Checkout<>();
            if (!take(checkout, thread)) {
                return "empty";
            }
            held[thread] = checkout;
            return "taken";
        }

        final String giveBackOf(int thread) {
            Checkout<Integer> checkout = held[thread];
            if (checkout == null) {
                return "has none";
            }
            held[thread] = null;
            giveBack(checkout);
            return "returned";
        }
    }

    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class Exact extends TwoConnections {
        @Override
        boolean take(Checkout<Integer> checkout, int thread) {
            return pool.tryCheckout(checkout, thread);
        }

        @Operation
        public String take(@Param(name = "thread") int thread) {
            return takeFor(thread);
        }

        @Operation
        public String giveBack(@Param(name = "thread") int thread) {
            return giveBackOf(thread);
        }
    }

    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class TwoSteps extends TwoConnections {
        private final Entry<Integer> entry;
        private long leases = 1_000;

        public TwoSteps() {
            Checkout<Integer> first = new Checkout<>();
            pool.claim(first, 0);
            entry = first.entry;
            first.returnToPool();
        }

        @Override
        boolean take(Checkout<Integer> checkout, int thread) {
            if (!entry.isReady()) {
                return false;
            }
            checkout.entry = entry;
            checkout.loan = ++leases << 34 | Entry.BORROWED;
            entry.state = checkout.loan;
            return true;
        }

        @Operation
        public String take(@Param(name = "thread") int thread) {
            return takeFor(thread);
        }

        @Operation
        public String giveBack(@Param(name = "thread") int thread) {
            return giveBackOf(thread);
        }
    }

    /** Whoever finds nothing waits, and is served later; the result does not tell when. */
    abstract static class OneConnection {
        final Pool<Integer> pool;
        private final Checkout<Integer>[] held = TwoConnections.checkouts(8);

        OneConnection() {
            PoolConfig config = PoolConfig.builder(Supply.reservoir(1), 1).build();
            pool = new Pool<>(config, new Immediately(), List.of(), new Stillness(), new Random(1), PoolListener.NONE);
            pool.start();
            pool.poll(0);
        }

        abstract void giveBack(Checkout<Integer> checkout);

        final void queueFor(int thread) {
            if (held[thread] == null) {
                Checkout<Integer> checkout = new Checkout<>();
                held[thread] = checkout;
                pool.checkout(checkout, thread, Long.MAX_VALUE, new Waiter.Turn() {
                    @Override
                    public void served() {}

                    @Override
                    public void refused(Refusal refusal) {
                        throw new AssertionError("refused: " + refusal);
                    }
                });
            }
        }

        final void tryFor(int thread) {
            Checkout<Integer> checkout = new Checkout<>();
            if (held[thread] == null && pool.tryCheckout(checkout, thread)) {
                held[thread] = checkout;
            }
        }

        final void giveBackOf(int thread) {
            Checkout<Integer> checkout = held[thread];
            if (checkout != null && checkout.isCurrent()) {
                held[thread] = null;
                giveBack(checkout);
            }
        }

        final void verify() {
            PoolStats stats = pool.stats();
            if (stats.waiting() > 0 && stats.ready() > 0) {
                throw new IllegalStateException("someone waits beside a ready connection: " + stats);
            }
        }
    }

    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class Waiting extends OneConnection {
        @Override
        void giveBack(Checkout<Integer> checkout) {
            checkout.returnToPool();
        }

        @Operation
        public void queue(@Param(name = "thread") int thread) {
            queueFor(thread);
        }

        @Operation
        public void tryOnce(@Param(name = "thread") int thread) {
            tryFor(thread);
        }

        @Operation
        public void giveBack(@Param(name = "thread") int thread) {
            giveBackOf(thread);
        }

        @Validate
        public void nobodyIsForgotten() {
            verify();
        }
    }

    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class Careless extends OneConnection {
        @Override
        void giveBack(Checkout<Integer> checkout) {
            checkout.entry.tryEnd(checkout.loan, Entry.READY);
        }

        @Operation
        public void queue(@Param(name = "thread") int thread) {
            queueFor(thread);
        }

        @Operation
        public void giveBack(@Param(name = "thread") int thread) {
            giveBackOf(thread);
        }

        @Validate
        public void nobodyIsForgotten() {
            verify();
        }
    }

    /**
     * The slots alone, with the gate of a pool before them and two entries that are out, far from everyone's home, so that
     * only hints lead to them.
     */
    public static class Hidden {
        private static final int AT_HOME = 4;

        private final ReadySlots<Integer> slots = new ReadySlots<>(64);
        private final ReentrantLock lock = new ReentrantLock();
        private final Checkout<Integer> first = new Checkout<>();
        private final Checkout<Integer> second = new Checkout<>();
        private final Checkout<Integer> waiting = new Checkout<>();
        private volatile boolean gate;

        public Hidden() {
            List<Entry<Integer>> entries = new ArrayList<>();
            for (int i = 0; i < AT_HOME + 2; i++) {
                Entry<Integer> entry = new Entry<>(null, i, List.of(), 0, Long.MAX_VALUE, Long.MAX_VALUE);
                entries.add(entry);
                slots.place(entry);
            }
            entries.subList(0, AT_HOME).forEach(slots::remove);
            entries.subList(AT_HOME, AT_HOME + 2).forEach(slots::publish);
            slots.claim(first, 0, 0);
            slots.claim(second, 0, 0);
        }

        @Operation
        public void claim() {
            slots.claim(new Checkout<>(), 0, 0);
        }

        @Operation
        public void giveBackFirst() {
            giveBack(first);
        }

        @Operation
        public void giveBackSecond() {
            giveBack(second);
        }

        private void giveBack(Checkout<Integer> checkout) {
            slots.publish(checkout.entry, checkout.loan);
            if (gate) {
                serve();
            }
        }

        @Operation
        public void queue() {
            gate = true;
            serve();
        }

        private void serve() {
            lock.lock();
            try {
                if (waiting.entry == null) {
                    slots.claimAnywhere(waiting, 0, 0);
                }
            } finally {
                lock.unlock();
            }
        }

        @Validate
        public void nobodyIsForgotten() {
            boolean[] ready = {false};
            slots.forEach(entry -> ready[0] |= entry.isReady());
            if (gate && waiting.entry == null && ready[0]) {
                throw new IllegalStateException("someone waits beside a ready connection");
            }
        }
    }

    /** Time that never moves and runs nothing: what is under test needs none of it. */
    private static final class Stillness implements Time {
        @Override
        public long nanos() {
            return 0;
        }

        @Override
        public long coarseNanos() {
            return 0;
        }

        @Override
        public Scheduled schedule(long atNanos, Runnable task) {
            return () -> {};
        }
    }

    private static final class Immediately implements Connector<Integer> {
        private int opened;

        @Override
        public void open(Opening<Integer> opening) {
            opening.opened(++opened);
        }

        @Override
        public void check(Integer value, Checking checking) {
            checking.checked(true);
        }

        @Override
        public void close(Integer value, DiscardReason reason, Runnable closed) {
            closed.run();
        }
    }
}
