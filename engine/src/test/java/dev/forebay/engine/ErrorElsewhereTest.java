// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.testkit.CapturedLog;
import dev.forebay.testkit.Rig;
import dev.forebay.testkit.SimServer;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.Actions;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What becomes of a pool when a listener, a connector or an admission throws an Error. */
class ErrorElsewhereTest {

    @RegisterExtension
    private final CapturedLog logged = new CapturedLog(Actions.class);

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static AssertionError thrown() {
        return new AssertionError("thrown by a test, as a faulty library would");
    }

    /** A listener that fails in all it hears. */
    private static final PoolListener FAILING = new PoolListener() {
        @Override
        public void opened(int open, long connectNanos) {
            throw thrown();
        }

        @Override
        public void foundEmpty() {
            throw thrown();
        }

        @Override
        public void checkedOut(long waitedNanos) {
            throw thrown();
        }

        @Override
        public void discarded(DiscardReason reason, long remainingNanos) {
            throw thrown();
        }

        @Override
        public void refused(Refusal refusal, long waitedNanos) {
            throw thrown();
        }

        @Override
        public void openFailed(OpenFailure failure, int attempt, long delayNanos) {
            throw thrown();
        }
    };

    @Test
    void waitersAreServedAlthoughAListenerThrows() {
        Rig rig = Rig.of(Pools.ageless(2).build(), FAILING).start();
        Rig.Queued first = rig.queue(SECOND);
        Rig.Queued second = rig.queue(SECOND);
        Rig.Queued third = rig.queue(SECOND);
        rig.advance(SECOND);
        assertTrue(first.served && second.served);
        assertEquals(Refusal.TIMED_OUT, third.refusal);
        rig.returnAll();
        rig.pool.close();
        rig.advance(SECOND);
        assertEquals(0, rig.server.open());
    }

    @Test
    void aPoolIsFullAlthoughAListenerThrowsAtEachOpen() {
        Rig rig = Rig.of(Pools.ageless(20).build(), FAILING).filled();
        assertEquals(20, rig.stats().ready());
    }

    @Test
    void anAdmissionThatThrowsIsAskedAgain() {
        int[] asked = {0};
        Admission failing = (now, answer) -> {
            if (asked[0]++ < 2) {
                throw thrown();
            }
            answer.granted(() -> {});
        };
        Rig rig = Rig.of(Pools.ageless(1).build(), time -> List.of(failing)).filled();
        assertEquals(1, rig.stats().ready());
    }

    @Test
    void aGrantThatThrowsLosesNoConnection() {
        List<String> released = new ArrayList<>();
        Admission failing = (now, answer) -> answer.granted(new Admission.Grant() {
            @Override
            public void openEnded(Admission.Outcome outcome) {
                throw thrown();
            }

            @Override
            public void release() {
                throw thrown();
            }
        });
        Admission other = (now, answer) -> answer.granted(() -> released.add("released"));
        Rig rig = Rig.of(Pools.ageless(2).build(), time -> List.of(failing, other))
                .filled();
        assertEquals(2, rig.stats().ready());
        rig.pool.close();
        rig.advance(SECOND);
        assertEquals(List.of("released", "released"), released);
        assertEquals(0, rig.stats().closing());
    }

    /** Connections of a server whose driver fails in unexpected ways. */
    private static final class FailingConnector implements Connector<Session> {
        private final SimServer server;
        private boolean opens = true;
        private boolean checks;
        private boolean closes;

        FailingConnector(SimServer server) {
            this.server = server;
        }

        @Override
        public void open(Opening<Session> opening) {
            if (!opens) {
                opens = true;
                throw thrown();
            }
            server.open(opening);
        }

        @Override
        public void check(Session value, Checking checking) {
            if (!checks) {
                throw thrown();
            }
            server.check(value, checking);
        }

        @Override
        public void close(Session value, DiscardReason reason, Runnable closed) {
            if (!closes) {
                throw thrown();
            }
            server.close(value, reason, closed);
        }
    }

    private final VirtualTime time = new VirtualTime();
    private final FailingConnector connector = new FailingConnector(new SimServer(time));

    private Pool<Session> pool(int size) {
        Pool<Session> pool =
                new Pool<>(Pools.ageless(size).build(), connector, List.of(), time, new Random(1), PoolListener.NONE);
        pool.start();
        time.advance(Duration.ofSeconds(10));
        return pool;
    }

    @Test
    void aConnectorThatThrowsInOpenIsCalledAgain() {
        connector.opens = false;
        Pool<Session> pool = pool(1);
        assertEquals(1, pool.stats().ready());
    }

    @Test
    void aConnectorThatThrowsInCheckHasFoundTheConnectionDead() {
        Pool<Session> pool = pool(3);
        connector.closes = true;
        pool.checkAll();
        time.advance(Duration.ofMillis(100));
        assertEquals(3, pool.stats().discards(DiscardReason.FAILED_VALIDATION));
    }

    @Test
    void aConnectorThatThrowsInCloseKeepsNoPlace() {
        Pool<Session> pool = pool(3);
        boolean[] drained = {false};
        pool.close();
        pool.whenDrained(() -> drained[0] = true);
        time.advance(SECOND);
        assertTrue(drained[0], pool.stats()::toString);
    }
}
