// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the failed connects of one server at WARN: the first of each kind, then one line a minute that counts the others.
 * Thread-safe.
 */
final class FailureLog {

    private static final Logger log = LoggerFactory.getLogger(FailureLog.class);
    private static final long PAUSE_NANOS = 60_000_000_000L;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<RegistryError, Line> last = new EnumMap<>(RegistryError.class);

    /** The last line of one kind, and the number of failures since that got none. */
    private record Line(long atNanos, long more) {}

    void failed(String server, String localUser, Throwable error, long now) {
        RegistryError kind = Errors.of(error);
        long more;
        lock.lock();
        try {
            Line before = last.get(kind);
            if (before != null && now - before.atNanos < PAUSE_NANOS) {
                last.put(kind, new Line(before.atNanos, before.more + 1));
                return;
            }
            more = before == null ? 0 : before.more;
            last.put(kind, new Line(now, 0));
        } finally {
            lock.unlock();
        }
        log.warn(
                "server {}: no connection for {} ({} {}): {}{}",
                oneLine(server),
                oneLine(localUser),
                kind.sqlState(),
                kind,
                oneLine(Errors.reason(error)),
                more == 0 ? "" : "; " + more + " more failed since the last line");
    }

    static void openForgotten(String server, String localUser, long hungNanos) {
        log.warn(
                "server {}: an open for {} hangs in the driver for {} s and is no longer counted;"
                        + " give the driver a timeout",
                oneLine(server),
                oneLine(localUser),
                TimeUnit.NANOSECONDS.toSeconds(hungNanos));
    }

    static void healthChanged(String server, boolean healthy, String reason) {
        if (healthy) {
            log.warn("server {} is healthy again", oneLine(server));
        } else {
            log.warn("server {} is unhealthy: {}", oneLine(server), oneLine(reason));
        }
    }

    /** The text with characters that would begin another line, or act on a terminal, as blanks. */
    static String oneLine(String text) {
        return text.replaceAll("\\p{Cntrl}|\\u2028|\\u2029|\\u0085", " ");
    }
}
