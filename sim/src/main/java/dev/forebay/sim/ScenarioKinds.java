// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.internal.GoDuration;
import dev.forebay.engine.internal.OptionKind;
import dev.forebay.model.Fault;
import dev.forebay.model.Latency;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The kinds of values that only a scenario has. Stateless. */
final class ScenarioKinds {

    /** Longer than any question, and short enough for a long of nanoseconds with room to spare. */
    private static final Duration LONGEST = Duration.ofDays(31);

    private static final String OFF = "off";

    /** Other keys below this one. */
    static final OptionKind<String> MAPPING = OptionKind.of("mapping", "keys with values", text -> text, text -> text);

    /** Items, each with keys of its own. */
    static final OptionKind<String> LIST =
            OptionKind.of("list", "items that each begin with a dash", text -> text, text -> text);

    static final OptionKind<Boolean> FLAG = OptionKind.choice(List.of(true, false), value -> Boolean.toString(value));

    static final OptionKind<Latency> LATENCY = OptionKind.of(
            "latency",
            "20ms, 20ms..50ms for any between, exp 20ms for a long tail, or off",
            Latency::parse,
            Latency::text);

    static final OptionKind<Fault> FAULT = OptionKind.of(
            "fault",
            "a fault such as drop 30%, freeze 5s, refuse connects 5s or waking up 10s",
            ScenarioKinds::fault,
            Fault::text);

    /** A part of a whole. */
    static final OptionKind<Double> FRACTION = OptionKind.ranged(
            "fraction",
            "a fraction from 0 to 1, or from 0% to 100%",
            0.0,
            1.0,
            text -> text.endsWith("%")
                    ? OptionKind.parseNumber(text.substring(0, text.length() - 1)) / 100
                    : OptionKind.parseNumber(text),
            ScenarioKinds::plain);

    private ScenarioKinds() {}

    static OptionKind<Double> number(double least, double most) {
        return OptionKind.ranged(
                "number",
                "a number from " + plain(least) + " to " + plain(most),
                least,
                most,
                OptionKind::parseNumber,
                ScenarioKinds::plain);
    }

    /** A duration of at least {@code least}. */
    static OptionKind<Duration> lasting(Duration least) {
        return lasting(least, LONGEST);
    }

    static OptionKind<Duration> lasting(Duration least, Duration most) {
        OptionKind<Duration> kind = OptionKind.durationBetween(least, most);
        return new OptionKind<>(kind.type(), kind.valid(), List.of(), kind.parser(), kind.problem(), GoDuration::brief);
    }

    /** A word that stands for a constant. */
    static <E extends Enum<E>> OptionKind<E> choice(Class<E> type) {
        return OptionKind.choice(Arrays.asList(type.getEnumConstants()), ScenarioKinds::word);
    }

    /** A text of one line that matches {@code pattern}. */
    static OptionKind<String> line(String type, String valid, String pattern) {
        return new OptionKind<>(
                type,
                valid,
                List.of(),
                text -> text.strip().replaceAll("\\s+", " "),
                line -> line.matches(pattern) ? null : "not allowed",
                line -> line);
    }

    /** The same, or off for none. */
    static <T> OptionKind<Optional<T>> orOff(OptionKind<T> kind) {
        return new OptionKind<>(
                kind.type() + " or off",
                kind.valid() + ", or off",
                List.of(),
                text -> text.equals(OFF)
                        ? Optional.empty()
                        : Optional.of(kind.parser().apply(text)),
                value -> value.isPresent() ? kind.problem().apply(value.get()) : null,
                value -> value.map(kind.format()).orElse(OFF));
    }

    private static Fault fault(String text) {
        Fault fault = Fault.parse(text);
        if (fault instanceof Fault.FailCommits || fault instanceof Fault.ExpireTokens) {
            throw new IllegalArgumentException(
                    "has no effect here: in a simulation there are no commits and no tokens");
        }
        return fault;
    }

    /** The word for {@code value}. */
    static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** A number without more digits than it needs. */
    static String plain(double value) {
        BigDecimal number = BigDecimal.valueOf(value);
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }
}
