// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import ch.qos.logback.classic.Level;
import dev.forebay.testkit.CapturedLog;
import dev.forebay.time.Actions;
import dev.forebay.tx.TxListener.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class TxListenersTest {

    @RegisterExtension
    private final CapturedLog logged = new CapturedLog(Actions.class);

    private final List<String> heard = new ArrayList<>();

    /** Writes down what it hears, then throws if it is rude. */
    private final class Recorder implements TxListener {
        private final String name;
        private final boolean rude;

        Recorder(String name, boolean rude) {
            this.name = name;
            this.rude = rude;
        }

        private void hear(String event) {
            heard.add(name + " " + event);
            if (rude) {
                throw new IllegalStateException(event);
            }
        }

        @Override
        public void began(String operation) {
            hear("began " + operation);
        }

        @Override
        public void attemptFailed(String operation, ErrorMeaning failure, String sqlState, Throwable error) {
            hear(operation + " " + failure + " " + sqlState + " " + error.getMessage());
        }

        @Override
        public void retrying(String operation, String sqlState, int attempt, long delayNanos) {
            hear(operation + " " + sqlState + " " + attempt + " " + delayNanos);
        }

        @Override
        public void ended(String operation, Outcome outcome, int attempts, long nanos) {
            hear(operation + " " + outcome + " " + attempts + " " + nanos);
        }
    }

    @Test
    void everyoneHearsEverythingInOrderAndWhatOneThrowsIsLogged() {
        TxListener all = TxListener.all(List.of(new Recorder("a", true), new Recorder("b", false)));
        all.began("save");
        all.attemptFailed("save", ErrorMeaning.CONFLICT, "40001", new IllegalArgumentException("lost"));
        all.retrying("save", "40001", 1, 25);
        all.ended("save", Outcome.COMMITTED, 2, 100);
        assertEquals(
                List.of(
                        "a began save",
                        "b began save",
                        "a save CONFLICT 40001 lost",
                        "b save CONFLICT 40001 lost",
                        "a save 40001 1 25",
                        "b save 40001 1 25",
                        "a save COMMITTED 2 100",
                        "b save COMMITTED 2 100"),
                heard);
        assertEquals(4, logged.events().size());
        assertEquals(Level.ERROR, logged.events().get(0).getLevel());
        assertEquals("began save", logged.events().get(0).getThrowableProxy().getMessage());
    }

    @Test
    void noListenersAreNone() {
        assertSame(TxListener.NONE, TxListener.all(List.of()));
    }
}
