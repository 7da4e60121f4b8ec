// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine;

import static dev.forebay.engine.Pools.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.testkit.ConnectionCap;
import dev.forebay.testkit.Rig;
import dev.forebay.testkit.SimServer.Behaviour;
import dev.forebay.testkit.SimServer.Session;
import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What was granted for a connection is released with it, whatever way it goes. */
class GrantTest {

    private static final Duration NINE_MINUTES = Duration.ofMinutes(9);

    private final ConnectionCap leases = new ConnectionCap(100);

    private Rig rig(PoolConfig.Builder config) {
        return Rig.of(config.build(), time -> List.of(leases)).filled();
    }

    /** Two connections of ten minutes, the last of them the guard window, which nothing replaces ahead of time. */
    private Rig tenMinutes() {
        return rig(PoolConfig.builder(Supply.onDemand(2, 2, Exhaustion.WAIT), 2)
                .lifetime(Duration.ofMinutes(10), Duration.ZERO, Duration.ofMinutes(1)));
    }

    private Rig ageless() {
        return rig(Pools.ageless(2));
    }

    /** Makes a connection go for {@code reason}. */
    private Rig discard(DiscardReason reason) {
        Rig rig = switch (reason) {
            case INSUFFICIENT_REMAINING_LIFETIME,
                    EXPIRED_ON_CHECKOUT,
                    EXPIRED_ON_RETURN,
                    EXPIRED_ON_SCAN,
                    EXPIRING_SOON_ON_SCAN -> tenMinutes();
            case REPLACED -> rig(Pools.reservoir(2));
            case IDLE_TIMEOUT -> rig(Pools.ageless(2).idle(SECOND, 0));
            case OVERFLOW ->
                rig(PoolConfig.builder(Supply.onDemand(1, 1, Exhaustion.OVERFLOW), 1)
                        .spare(1)
                        .exhaustion(Exhaustion.OVERFLOW));
            default -> ageless();
        };
        switch (reason) {
            case INSUFFICIENT_REMAINING_LIFETIME -> {
                Checkout<Session> held = rig.take();
                rig.time.advanceTo(NINE_MINUTES.plusSeconds(1).toNanos());
                held.returnToPool();
            }
            case EXPIRED_ON_CHECKOUT -> {
                rig.time.jumpTo(Duration.ofMinutes(11).toNanos());
                assertFalse(rig.pool.tryCheckout(new Checkout<>(), 0));
            }
            case EXPIRED_ON_RETURN -> {
                Checkout<Session> held = rig.take();
                rig.time.advanceTo(Duration.ofMinutes(11).toNanos());
                held.returnToPool();
            }
            case EXPIRED_ON_SCAN -> rig.time.jumpTo(Duration.ofMinutes(11).toNanos());
            case EXPIRING_SOON_ON_SCAN -> rig.time.advanceTo(NINE_MINUTES.toNanos());
            case RESERVOIR_FULL -> rig.pool.resize(Supply.reservoir(1), 1, 0);
            case REPLACED -> rig.advance(Duration.ofMinutes(13));
            case BAD_CONNECTION -> rig.take().discard(DiscardReason.BAD_CONNECTION);
            case FAILED_VALIDATION -> {
                rig.server.kill(1);
                rig.pool.checkAll();
            }
            case IDLE_TIMEOUT -> rig.advance(Duration.ofSeconds(2));
            case OVERFLOW -> {
                rig.take();
                Rig.Queued more = rig.queue(SECOND);
                rig.advance(SECOND);
                more.checkout.returnToPool();
            }
            case EVICTED -> rig.pool.evictAll();
            case POOL_CLOSED -> rig.pool.close();
        }
        return rig;
    }

    @ParameterizedTest
    @EnumSource
    void everyDiscardReleasesItsGrantAndClosesTheConnection(DiscardReason reason) {
        Rig rig = discard(reason);
        rig.advance(SECOND);
        assertTrue(rig.stats().discards(reason) > 0, () -> rig.stats().toString());
        assertEquals(rig.stats().open(), leases.held(), "as many as there are connections");
        assertEquals(rig.server.open(), leases.held(), "as many as the server has");
        assertTrue(rig.server.sessions().stream().anyMatch(Session::isClosed));
        rig.pool.close();
        rig.returnAll();
        rig.advance(SECOND);
        assertEquals(0, leases.held());
        assertEquals(0, rig.server.open());
    }

    /** Otherwise a pool could count as drained, and its owner leave, while it still holds a lease. */
    @Test
    void whatHoldsAGrantIsCountedUntilItIsReleased() {
        List<Integer> counted = new ArrayList<>();
        Rig[] rig = {null};
        Admission lease = (now, answer) -> answer.granted(
                () -> counted.add(rig[0].stats().closing() + rig[0].stats().opening()));
        rig[0] = Rig.of(Pools.ageless(1).build(), time -> List.of(lease));
        rig[0].server.next(Behaviour.REFUSE);
        rig[0].filled();
        assertEquals(List.of(1), counted, "the open that failed");
        rig[0].pool.close();
        rig[0].advance(SECOND);
        assertEquals(List.of(1, 1), counted, "the connection that was closed");
    }

    /** Slots of a remote store: giving one back takes a minute, during which nobody else can have it. */
    private static final class SlowSlots implements Admission {
        private static final Duration ON_THE_WIRE = Duration.ofMinutes(1);

        private final VirtualTime time;
        private final List<Runnable> wakes = new ArrayList<>();
        private int free;

        SlowSlots(VirtualTime time, int free) {
            this.time = time;
            this.free = free;
        }

        @Override
        public void ask(long nowNanos, Answer answer) {
            if (free == 0) {
                answer.notBefore(Long.MAX_VALUE);
                return;
            }
            free--;
            answer.granted(() -> time.schedule(time.nanos() + ON_THE_WIRE.toNanos(), () -> {
                free++;
                wakes.forEach(Runnable::run);
            }));
        }

        @Override
        public Runnable whenFreed(Runnable wake) {
            wakes.add(wake);
            return () -> wakes.remove(wake);
        }
    }

    @Test
    void aReleaseThatTakesItsTimeDelaysNothingButItsSlot() {
        Rig rig = Rig.of(Pools.ageless(3).build(), time -> List.of(new SlowSlots(time, 4)))
                .filled();
        rig.take().discard(DiscardReason.BAD_CONNECTION);
        rig.advance(SECOND);
        assertEquals(3, rig.stats().ready(), "the slot that is left serves");
        assertEquals(0, rig.stats().closing(), "the release is not waited for");
        rig.take().discard(DiscardReason.BAD_CONNECTION);
        rig.advance(SECOND);
        assertEquals(2, rig.stats().ready(), "no slot is left");
        rig.advance(SlowSlots.ON_THE_WIRE);
        assertEquals(3, rig.stats().ready(), "one that comes back is used at once");
    }
}
