// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.registry.Registry;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.h2.result.SimpleResult;
import org.jspecify.annotations.Nullable;

/**
 * One run of one statement against the views: its user, and the rows of each view when it was first read, so that a
 * statement that names a view twice sees the same rows. Confined to the thread that runs it, where H2's functions find it, but for {@link #cancel}.
 */
final class Question {

    private static final ThreadLocal<@Nullable Question> CURRENT = new ThreadLocal<>();

    private final Registry<?> registry;
    private final String user;
    private final int processId;
    private final Instant started;
    private final SessionSettings settings;
    private final long deadlineNanos;
    private volatile boolean cancelled;
    private final Map<View, List<List<@Nullable Object>>> seen = new EnumMap<>(View.class);
    private final PatternMatch patterns = new PatternMatch(this::check);
    private final Map<View, SimpleResult> results = new EnumMap<>(View.class);

    Question(
            Registry<?> registry,
            String user,
            int processId,
            Instant started,
            SessionSettings settings,
            Duration timeout) {
        this.deadlineNanos = System.nanoTime() + timeout.toNanos();
        this.registry = registry;
        this.user = user;
        this.processId = processId;
        this.started = started;
        this.settings = settings;
    }

    static @Nullable Question current() {
        return CURRENT.get();
    }

    /** Makes this the question of this thread, until the result is closed. */
    Asked ask() {
        CURRENT.set(this);
        return CURRENT::remove;
    }

    List<List<@Nullable Object>> rows(View view) {
        return seen.computeIfAbsent(view, unseen -> unseen.rows(registry));
    }

    /** Returns the same rows in H2's form. */
    SimpleResult result(View view, Function<List<List<@Nullable Object>>, SimpleResult> made) {
        return results.computeIfAbsent(view, unseen -> made.apply(rows(view)));
    }

    PatternMatch patterns() {
        return patterns;
    }

    /** Ends it where H2 does not check for a cancel; may be called by any thread. */
    void cancel() {
        cancelled = true;
    }

    private void check() throws AdminException {
        if (cancelled) {
            throw new AdminException("57014", "canceling statement due to user request");
        }
        if (System.nanoTime() - deadlineNanos >= 0) {
            throw new AdminException("57014", "canceling statement due to statement timeout");
        }
    }

    String user() {
        return user;
    }

    int processId() {
        return processId;
    }

    Instant started() {
        return started;
    }

    SessionSettings settings() {
        return settings;
    }

    /** The end of a question. */
    interface Asked extends AutoCloseable {
        @Override
        void close();
    }
}
