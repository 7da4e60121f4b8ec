// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.forebay.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The notes that a run keeps, and those it drops. */
class JournalTest {

    private final VirtualTime time = new VirtualTime();
    private final Journal journal = new Journal(time);

    private static List<String> texts(List<Result.Note> notes) {
        return notes.stream().map(Result.Note::text).toList();
    }

    @Test
    void whatGoesOnIsNotedOnceInTenSeconds() {
        for (int second = 0; second < 25; second++) {
            journal.note("web", "limit", "at " + second);
            time.advance(Duration.ofSeconds(1));
        }
        assertEquals(List.of("at 0", "at 10", "at 20"), texts(journal.all()));
    }

    @Test
    void theSameElsewhereAndSomethingElseHereAreNotTheSame() {
        journal.note("web", "limit", "a");
        journal.note("web", "store", "b");
        journal.note("job", "limit", "c");
        journal.note("web", "limit", "d");
        assertEquals(List.of("a", "b", "c"), texts(journal.all()));
    }

    @Test
    void whatWasPlannedIsAlwaysNoted() {
        journal.incident("web", "crashes");
        journal.incident("web", "crashes");
        assertEquals(
                List.of(new Result.Note(0, "web", "crashes", true), new Result.Note(0, "web", "crashes", true)),
                journal.all());
    }

    @Test
    void ofVeryMuchTheBeginningIsKeptAndWhatWasPlannedAndTheLatestIsKnown() {
        for (int i = 0; i < 1_500; i++) {
            journal.note("web-" + i, "limit", "note " + i);
        }
        journal.incident("web", "crashes");
        List<String> all = texts(journal.all());
        assertEquals(1_002, all.size());
        assertEquals(List.of("note 999", "crashes", "500 more events were not kept"), all.subList(999, 1_002));
        assertEquals(
                List.of("note 1495", "note 1496", "note 1497", "note 1498", "note 1499", "crashes"),
                texts(journal.latest()));
    }
}
