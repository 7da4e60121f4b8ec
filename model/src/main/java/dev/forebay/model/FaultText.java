// SPDX-License-Identifier: Apache-2.0
package dev.forebay.model;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the text of a {@link Fault}. Stateless. */
final class FaultText {

    private static final int LONGEST = 200;
    private static final List<String> FORMS = List.of(
            "refuse connects DURATION",
            "waking up DURATION",
            "freeze DURATION",
            "drop FRACTION",
            "delay connects|statements LATENCY [for DURATION]",
            "fail commits COUNT OC000|OC001|XX000 applied|XX000 not applied",
            "expire tokens",
            "clear");

    private FaultText() {}

    static Fault parse(String text) {
        if (text.length() > LONGEST) {
            throw new IllegalArgumentException("a fault of " + text.length() + " characters is too long");
        }
        String[] words = text.strip().split("\\s+");
        Fault fault = switch (words[0]) {
            case "refuse" -> refuse(words);
            case "waking" -> waking(words);
            case "freeze" -> freeze(words);
            case "drop" -> drop(words);
            case "delay" -> delay(words);
            case "fail" -> fail(words);
            case "expire" -> expire(words);
            case "clear" -> words.length == 1 ? new Fault.Clear() : null;
            default ->
                throw new IllegalArgumentException(
                        "\"" + words[0] + "\" begins no fault; there are: " + String.join("; ", FORMS));
        };
        if (fault == null) {
            throw new IllegalArgumentException("\"" + text.strip() + "\" is not of the form: " + form(words[0]));
        }
        return fault;
    }

    private static String form(String first) {
        return FORMS.stream()
                .filter(form -> form.startsWith(first))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("bug: no form begins with " + first));
    }

    private static boolean is(String[] words, int length, String second) {
        return words.length == length && words[1].equals(second);
    }

    private static @Nullable Fault refuse(String[] words) {
        return is(words, 3, "connects") ? new Fault.RefuseConnects(ValueText.duration(words[2])) : null;
    }

    private static @Nullable Fault waking(String[] words) {
        return is(words, 3, "up") ? new Fault.WakingUp(ValueText.duration(words[2])) : null;
    }

    private static @Nullable Fault freeze(String[] words) {
        return words.length == 2 ? new Fault.Freeze(ValueText.duration(words[1])) : null;
    }

    private static @Nullable Fault drop(String[] words) {
        return words.length == 2 ? new Fault.Drop(ValueText.fraction(words[1])) : null;
    }

    private static @Nullable Fault expire(String[] words) {
        return is(words, 2, "tokens") ? new Fault.ExpireTokens() : null;
    }

    private static @Nullable Fault delay(String[] words) {
        if (words.length < 3) {
            return null;
        }
        Fault.Delayed what;
        if (words[1].equals("connects")) {
            what = Fault.Delayed.CONNECTS;
        } else if (words[1].equals("statements")) {
            what = Fault.Delayed.STATEMENTS;
        } else {
            return null;
        }
        int end = words.length;
        Duration length = null;
        if (end > 4 && words[end - 2].equals("for")) {
            length = ValueText.duration(words[end - 1]);
            end -= 2;
        }
        return new Fault.Delay(what, Latency.parse(String.join(" ", Arrays.copyOfRange(words, 2, end))), length);
    }

    private static @Nullable Fault fail(String[] words) {
        if (words.length < 4 || !words[1].equals("commits")) {
            return null;
        }
        String how = String.join(" ", Arrays.copyOfRange(words, 3, words.length));
        for (CommitFault fault : CommitFault.values()) {
            if (fault.text().equals(how)) {
                return new Fault.FailCommits(ValueText.count(words[2]), fault);
            }
        }
        return null;
    }
}
