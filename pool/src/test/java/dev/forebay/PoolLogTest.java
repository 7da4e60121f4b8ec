// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import dev.forebay.engine.DiscardReason;
import dev.forebay.engine.OpenFailure;
import dev.forebay.engine.PoolStats;
import dev.forebay.testkit.CapturedLog;
import dev.forebay.time.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PoolLogTest {

    @RegisterExtension
    private final CapturedLog logged = new CapturedLog(PoolLog.class);

    private final VirtualTime time = new VirtualTime();
    private final PoolLog reservoir = log(ForebayConfig.builder()
            .mode(ForebayConfig.Mode.RESERVOIR)
            .targetReady(50)
            .lowWatermark(50)
            .baseLifetime(Duration.ofMinutes(11))
            .guardWindow(Duration.ofSeconds(45)));
    private final PoolLog standard = log(ForebayConfig.builder()
            .mode(ForebayConfig.Mode.STANDARD)
            .maxOpen(100)
            .maxLifetime(Duration.ofMinutes(55))
            .maxIdleTime(Duration.ZERO)
            .keeperTick(Duration.ofSeconds(1))
            .keeperBatch(1)
            .warmupRetries(5));

    private PoolLog log(ForebayConfig.Builder config) {
        return new PoolLog(config.build(), time);
    }

    private static PoolStats open(int open, long opened) {
        return new PoolStats(
                open, 0, 0, 0, 0, 50, 50, 0, 0, 0, 0, 0, 0, opened, Map.of(), Map.of(), PoolStats.Times.NONE);
    }

    private static OpenFailure failure(OpenFailure.Cause cause, String message) {
        return new OpenFailure(cause, new IOException(message));
    }

    @Test
    void aReservoirStartsWithTheKnownLines() {
        reservoir.starting(0);
        reservoir.opened(1, 0);
        reservoir.started(open(50, 50), Duration.ofNanos(12_340_000_000L));
        assertEquals(
                List.of(
                        "INFO Reservoir mode enabled, registering reservoir driver",
                        "INFO Reservoir refiller started  target_ready=50 low_watermark=50 base_lifetime=11m0s",
                        "INFO Reservoir refiller: created connection  reservoir_size=1 target=50",
                        "INFO Reservoir initial fill complete  size=50 target=50 elapsed=12.3s"),
                logged.takeLines());
    }

    @Test
    void aFillThatTimesOutIsAWarning() {
        reservoir.started(open(35, 35), Duration.ofSeconds(30));
        assertEquals(List.of("WARN Reservoir initial fill timeout  current=35 target=50"), logged.takeLines());
    }

    @Test
    void theFillIsLoggedInTenthsAndLaterRefillsAtDebugOnly() {
        for (int open = 1; open <= 50; open++) {
            reservoir.opened(open, 0);
        }
        assertEquals(11, logged.takeLines().size());
        reservoir.started(open(50, 50), Duration.ofMillis(450));
        assertEquals(
                List.of("INFO Reservoir initial fill complete  size=50 target=50 elapsed=450ms"), logged.takeLines());
        reservoir.opened(50, 0);
        assertEquals(List.of(), logged.takeLines());
        logged.level(Level.DEBUG);
        reservoir.opened(50, 0);
        assertEquals(
                List.of("DEBUG Reservoir refiller: created connection  reservoir_size=50 target=50"),
                logged.takeLines());
    }

    @Test
    void standardModeStartsWithTheKnownLines() {
        standard.starting(1);
        standard.started(open(100, 99), Duration.ofSeconds(10));
        assertEquals(
                List.of(
                        "INFO DSQL connection pool configured  max_open_conns=100 current_open=1"
                                + " max_conn_lifetime=55m0s max_conn_idle_time=0s",
                        "INFO Starting DSQL connection pool warmup",
                        "INFO Starting DSQL pool warmup  current_connections=1 target_connections=100"
                                + " connections_to_create=99",
                        "INFO DSQL pool warmup complete  connections_created=99 connections_failed=0"
                                + " final_open_connections=100",
                        "INFO DSQL pool keeper started  target_pool_size=100 tick_interval=1s max_conns_per_tick=1"),
                logged.takeLines());
    }

    @Test
    void theWarmupCountsConnectionsItGaveUp() {
        for (int attempt = 1; attempt <= 12; attempt++) {
            standard.openFailed(failure(OpenFailure.Cause.CONNECT, "connection refused"), attempt, 0);
        }
        assertEquals(
                "WARN Pool warmup connection failed  error=\"connection refused\"",
                logged.takeLines().get(0));
        standard.started(open(98, 98), Duration.ofSeconds(10));
        assertEquals(
                "INFO DSQL pool warmup complete  connections_created=98 connections_failed=2 final_open_connections=98",
                logged.takeLines().get(0));
        standard.openFailed(failure(OpenFailure.Cause.CONNECT, "connection refused"), 13, 0);
        assertEquals(
                List.of("WARN DSQL pool: failed to create connection  error=\"connection refused\" attempt=13"),
                logged.takeLines());
    }

    @Test
    void aDiscardThatABorrowerFeltIsAWarningWithItsReason() {
        reservoir.discarded(DiscardReason.INSUFFICIENT_REMAINING_LIFETIME, 29_999_999_999L);
        assertEquals(
                List.of("WARN Reservoir: discarding connection  reason=insufficient_remaining_lifetime remaining=30s"
                        + " guard_window=45s"),
                logged.takeLines());
    }

    @Test
    void suchWarningsComeOnceInTenSecondsForEachReason() {
        for (int i = 0; i < 100; i++) {
            reservoir.discarded(DiscardReason.BAD_CONNECTION, Long.MAX_VALUE);
            reservoir.discarded(DiscardReason.EXPIRED_ON_RETURN, 0);
            reservoir.foundEmpty();
        }
        assertEquals(
                List.of(
                        "WARN Reservoir: discarding connection  reason=bad_connection remaining=unlimited guard_window=45s",
                        "WARN Reservoir: discarding connection  reason=expired_on_return remaining=0s guard_window=45s",
                        "WARN Reservoir empty  target=50"),
                logged.takeLines());
        time.advance(Duration.ofSeconds(10));
        reservoir.foundEmpty();
        assertEquals(1, logged.takeLines().size());
    }

    @ParameterizedTest
    @EnumSource(
            value = DiscardReason.class,
            names = {"EXPIRED_ON_SCAN", "EXPIRING_SOON_ON_SCAN", "REPLACED", "IDLE_TIMEOUT", "RESERVOIR_FULL", "EVICTED"
            })
    void anOrdinaryEndIsForDebugging(DiscardReason reason) {
        reservoir.discarded(reason, 0);
        assertEquals(List.of(), logged.takeLines());
        logged.level(Level.DEBUG);
        reservoir.discarded(reason, 0);
        assertEquals(
                List.of("DEBUG Reservoir: discarding connection  reason=" + reason.label()
                        + " remaining=0s guard_window=45s"),
                logged.takeLines());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "RATE_LIMIT|rate limit exceeded|WARN Reservoir refiller: failed to create connection  error=\"rate limit exceeded\" attempt=3",
                "LEASE_ACQUIRE|TransactionCanceledException: limit reached|ERROR Reservoir refiller: lease acquire failed  error=\"TransactionCanceledException: limit reached\"",
                "TOKEN_PROVIDER|unable to generate auth token|ERROR Reservoir refiller: token provider failed  error=\"unable to generate auth token\"",
                "CONNECT|connection refused|ERROR Reservoir refiller: connection open failed  error=\"connection refused\"",
            })
    void aFailureHasTheLineOfItsCause(OpenFailure.Cause cause, String message, String line) {
        reservoir.openFailed(failure(cause, message), 3, 0);
        assertEquals(List.of(line), logged.takeLines());
    }

    @Test
    void failuresAreLoggedOnceForEachStepOfTheBackoff() {
        for (int round = 1; round <= 3; round++) {
            for (int i = 0; i < 32; i++) {
                reservoir.openFailed(failure(OpenFailure.Cause.CONNECT, "refused"), round, 0);
            }
        }
        assertEquals(3, logged.takeLines().size());
    }

    @Test
    void failuresBetweenSuccessesAreLoggedOnceASecond() {
        logged.level(Level.WARN);
        for (int i = 0; i < 20; i++) {
            reservoir.openFailed(failure(OpenFailure.Cause.CONNECT, "refused"), 1, 0);
            reservoir.opened(10, 0);
            time.advance(Duration.ofMillis(100));
        }
        assertEquals(2, logged.takeLines().size());
    }

    @Test
    void noSecretIsLogged() {
        reservoir.openFailed(
                failure(
                        OpenFailure.Cause.CONNECT,
                        "cannot open jdbc:postgresql://h/db?user=admin&password=hunter2&sslmode=require\n"
                                + "with \"X-Amz-Security-Token=abc123&X-Amz-Signature=def456\" password: hunter2"),
                1,
                0);
        assertEquals(
                List.of("ERROR Reservoir refiller: connection open failed  error=\"cannot open"
                        + " jdbc:postgresql://h/db?user=admin&password=***&sslmode=require with"
                        + " 'X-Amz-Security-Token=***&X-Amz-Signature=***' password: ***\""),
                logged.takeLines());
    }

    @Test
    void anErrorWithoutAMessageIsNamed() {
        reservoir.openFailed(new OpenFailure(OpenFailure.Cause.CONNECT, new IllegalStateException()), 1, 0);
        assertEquals(
                List.of("ERROR Reservoir refiller: connection open failed  error=\"IllegalStateException\""),
                logged.takeLines());
    }

    @Test
    void aPoolOnDemandSaysLittle() {
        PoolLog log = log(ForebayConfig.builder()
                .mode(ForebayConfig.Mode.ON_DEMAND)
                .maxOpen(20)
                .maxLifetime(Duration.ZERO)
                .idleTimeout(Duration.ofMinutes(10)));
        log.starting(0);
        log.started(open(0, 0), Duration.ZERO);
        log.opened(1, 0);
        log.foundEmpty();
        log.discarded(DiscardReason.BAD_CONNECTION, 60_000_000_000L);
        log.sweeping(3);
        assertEquals(
                List.of(
                        "INFO DSQL connection pool configured  max_open_conns=20 current_open=0 max_conn_lifetime=0s"
                                + " max_conn_idle_time=10m0s",
                        "WARN DSQL pool: discarding connection  reason=bad_connection remaining=1m0s",
                        "INFO Checking all idle connections, since one was found broken  connections=3"),
                logged.takeLines());
    }
}
