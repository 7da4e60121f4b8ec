// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.time.VirtualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The events worth remembering. One that repeats itself is noted once in ten seconds, and of a run with very much
 * to tell the beginning is kept and the latest. Not thread-safe.
 */
final class Journal {

    private static final long QUIET_NANOS = 10_000_000_000L;
    private static final int MOST = 1_000;
    private static final int LATEST = 6;

    private final VirtualTime time;
    private final List<Result.Note> notes = new ArrayList<>();
    private final Deque<Result.Note> latest = new ArrayDeque<>();
    private final Map<String, Long> lastAt = new HashMap<>();
    private long untold;

    Journal(VirtualTime time) {
        this.time = time;
    }

    /** Something that the scenario planned. */
    void incident(String where, String text) {
        add(new Result.Note(time.nanos(), where, text, true));
    }

    /**
     * Something that came of it.
     *
     * @param kind the kind, which repeats itself if it happens again soon at the same place
     */
    void note(String where, String kind, String text) {
        long now = time.nanos();
        String what = where + '\n' + kind;
        Long before = lastAt.get(what);
        if (before == null || now - before >= QUIET_NANOS) {
            lastAt.put(what, now);
            add(new Result.Note(now, where, text, false));
        }
    }

    private void add(Result.Note note) {
        if (notes.size() < MOST || note.incident()) {
            notes.add(note);
        } else {
            untold++;
        }
        latest.addLast(note);
        if (latest.size() > LATEST) {
            latest.removeFirst();
        }
    }

    /** The last things before now. */
    List<Result.Note> latest() {
        return List.copyOf(latest);
    }

    /** Everything, in the order of time. */
    List<Result.Note> all() {
        List<Result.Note> all = new ArrayList<>(notes);
        if (untold > 0) {
            all.add(new Result.Note(time.nanos(), "fleet", untold + " more events were not kept", false));
        }
        return all;
    }
}
