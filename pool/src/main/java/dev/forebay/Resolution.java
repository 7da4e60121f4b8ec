// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.engine.Exhaustion;
import dev.forebay.engine.Supply;
import dev.forebay.engine.internal.GoDuration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes values of what was set: corrects what the rules correct, derives what was left open, refuses the rest. A
 * contradiction is looked for only among the knobs of the mode at hand, so that what configures another mode does no harm.
 */
final class Resolution {

    private final Map<Knob<?>, Setting<?>> set;
    private final Map<Knob<?>, Object> values = new HashMap<>();
    private final List<String> notices = new ArrayList<>();

    private Resolution(Map<Knob<?>, Setting<?>> set) {
        this.set = set;
    }

    /** The values that follow from what was {@code set}; what had to be corrected is said in {@code notices}. */
    static Map<Knob<?>, Object> resolve(Map<Knob<?>, Setting<?>> set, List<String> notices) {
        Resolution resolution = new Resolution(set);
        resolution.correct();
        Knobs.ALL.forEach(resolution::take);
        resolution.derive();
        resolution.refuseContradictions();
        notices.addAll(resolution.notices);
        return Map.copyOf(resolution.values);
    }

    /** The rules by which a value that makes no sense is replaced rather than refused. */
    private void correct() {
        replace(Knobs.BASE_LIFETIME, Duration.ofMinutes(11), isNegative(Knobs.BASE_LIFETIME, true));
        replace(Knobs.LIFETIME_JITTER, Duration.ZERO, isNegative(Knobs.LIFETIME_JITTER, false));
        replace(Knobs.GUARD_WINDOW, Duration.ZERO, isNegative(Knobs.GUARD_WINDOW, false));
    }

    private boolean isNegative(Knob<Duration> knob, boolean orZero) {
        Setting<Duration> setting = setting(knob);
        return setting != null
                && (setting.value().isNegative() || (orZero && setting.value().isZero()));
    }

    private void replace(Knob<Duration> knob, Duration value, boolean needed) {
        Setting<Duration> setting = setting(knob);
        if (needed && setting != null) {
            values.put(knob, value);
            notices.add(setting.words() + " is taken as " + GoDuration.format(value));
        }
    }

    private <T> void take(Knob<T> knob) {
        Setting<T> setting = setting(knob);
        if (values.containsKey(knob)) {
            return;
        }
        if (setting != null) {
            String problem = knob.kind().problem().apply(setting.value());
            if (problem != null) {
                throw new IllegalArgumentException(setting.words() + ": " + problem + "; valid is "
                        + knob.kind().valid());
            }
            values.put(knob, setting.value());
        } else {
            T value = knob.defaultValue();
            if (value != null) {
                values.put(knob, value);
            }
        }
    }

    private void derive() {
        boolean reservoir = value(Knobs.MODE) == ForebayConfig.Mode.RESERVOIR;
        values.put(Knobs.RESERVOIR_ENABLED, reservoir);
        values.putIfAbsent(Knobs.TARGET_READY, value(Knobs.MAX_OPEN));
        boolean followsTarget = reservoir && !set.containsKey(Knobs.MAX_OPEN) && !value(Knobs.UNDER_ANOTHER_POOL);
        int target = value(Knobs.TARGET_READY);
        values.putIfAbsent(Knobs.LOW_WATERMARK, followsTarget ? target : Math.min(target, value(Knobs.MAX_OPEN)));
        int watermark = value(Knobs.LOW_WATERMARK);
        if (value(Knobs.TARGET_READY) < watermark) {
            if (reservoir) {
                notices.add(words(Knobs.TARGET_READY) + " is raised to " + words(Knobs.LOW_WATERMARK));
            }
            values.put(Knobs.TARGET_READY, watermark);
        }
        values.putIfAbsent(Knobs.MAX_LIFETIME_JITTER, value(Knobs.MAX_LIFETIME).dividedBy(10));
        values.putIfAbsent(Knobs.SPARE, Math.max(1, value(Knobs.TARGET_READY) / 10));
        values.putIfAbsent(Knobs.OUTER_POOL_SIZE, value(Knobs.MAX_OPEN));
        Duration spread = value(Knobs.MAX_LIFETIME).isZero() ? Duration.ofMinutes(2) : value(Knobs.MAX_LIFETIME_JITTER);
        values.putIfAbsent(Knobs.KEEPER_BATCH, Supply.keeperBatch(value(Knobs.MAX_OPEN), spread));
        if (followsTarget) {
            values.put(Knobs.MAX_OPEN, value(Knobs.TARGET_READY));
        }
    }

    private void refuseContradictions() {
        refuse(
                value(Knobs.RETRY_BASE_DELAY).compareTo(value(Knobs.RETRY_MAX_DELAY)) > 0,
                "the first wait is longer than the longest",
                "a base_delay of at most the max_delay",
                Knobs.RETRY_BASE_DELAY,
                Knobs.RETRY_MAX_DELAY);
        refuseFleet();
        switch (value(Knobs.MODE)) {
            case STANDARD -> {
                refuse(
                        value(Knobs.WARMUP_BACKOFF).compareTo(value(Knobs.WARMUP_MAX_BACKOFF)) > 0,
                        "the first wait is longer than the longest",
                        "a warmup-backoff of at most the warmup-max-backoff",
                        Knobs.WARMUP_BACKOFF,
                        Knobs.WARMUP_MAX_BACKOFF);
                refuseMaxLifetime();
            }
            case RESERVOIR -> {
                refuseBackoff();
                refuseLifetime();
                refuse(
                        !value(Knobs.UNDER_ANOTHER_POOL) && value(Knobs.TARGET_READY) > value(Knobs.MAX_OPEN),
                        "so many can never be ready",
                        "a target-ready and a low-watermark of at most max-open, or no max-open",
                        Knobs.TARGET_READY,
                        Knobs.LOW_WATERMARK,
                        Knobs.MAX_OPEN);
            }
            case ON_DEMAND -> {
                refuseBackoff();
                refuseMaxLifetime();
                refuse(
                        value(Knobs.MIN_IDLE) > value(Knobs.MAX_OPEN),
                        "so many can never be idle",
                        "a min-idle of at most max-open",
                        Knobs.MIN_IDLE,
                        Knobs.MAX_OPEN);
                refuse(
                        value(Knobs.EXHAUSTION) == Exhaustion.OVERFLOW && value(Knobs.OVERFLOW) == 0,
                        "there is nothing to overflow into",
                        "an overflow of at least 1, or another exhaustion",
                        Knobs.EXHAUSTION,
                        Knobs.OVERFLOW);
            }
        }
    }

    private void refuseFleet() {
        requireTable(Knobs.FLEET_RATE_ENABLED, Knobs.FLEET_RATE_TABLE);
        requireTable(Knobs.LEASE_ENABLED, Knobs.LEASE_TABLE);
        refuse(
                value(Knobs.LEASE_ENABLED)
                        && value(Knobs.LEASE_RENEWAL).multipliedBy(3).compareTo(value(Knobs.LEASE_TTL)) > 0,
                "one renewal that is late would cost the lease",
                "a renewal of at most a third of the ttl",
                Knobs.LEASE_RENEWAL,
                Knobs.LEASE_TTL);
    }

    private void requireTable(Knob<Boolean> enabled, Knob<String> table) {
        if (value(enabled) && !values.containsKey(table)) {
            throw new IllegalArgumentException(words(enabled) + ": there is no table; valid is " + table.variable()
                    + " or " + table.property() + " with the name of a DynamoDB table");
        }
    }

    private void refuseBackoff() {
        refuse(
                value(Knobs.BACKOFF).compareTo(value(Knobs.MAX_BACKOFF)) > 0,
                "the first wait is longer than the longest",
                "a backoff of at most the max-backoff",
                Knobs.BACKOFF,
                Knobs.MAX_BACKOFF);
    }

    private void refuseLifetime() {
        Duration shortest =
                value(Knobs.BASE_LIFETIME).minus(value(Knobs.LIFETIME_JITTER).dividedBy(2));
        refuse(
                shortest.compareTo(value(Knobs.GUARD_WINDOW)) <= 0,
                "some connections would never be handed out, since the shortest lifetime is "
                        + GoDuration.format(shortest),
                "a guard-window shorter than base-lifetime less half of lifetime-jitter",
                Knobs.BASE_LIFETIME,
                Knobs.LIFETIME_JITTER,
                Knobs.GUARD_WINDOW);
    }

    private void refuseMaxLifetime() {
        Duration longest = value(Knobs.MAX_LIFETIME);
        refuse(
                !longest.isZero() && value(Knobs.MAX_LIFETIME_JITTER).compareTo(longest) >= 0,
                "some connections would end as soon as they are opened",
                "a max-lifetime-jitter shorter than max-lifetime",
                Knobs.MAX_LIFETIME,
                Knobs.MAX_LIFETIME_JITTER);
    }

    private void refuse(boolean wrong, String problem, String valid, Knob<?>... knobs) {
        if (wrong) {
            String names = Stream.of(knobs).map(this::words).collect(Collectors.joining(", "));
            throw new IllegalArgumentException(names + ": " + problem + "; valid is " + valid);
        }
    }

    private <T> String words(Knob<T> knob) {
        Setting<T> setting = setting(knob);
        return setting != null
                ? setting.words()
                : knob.property() + "=" + knob.kind().format().apply(value(knob)) + " (default)";
    }

    @SuppressWarnings("unchecked") // a knob is only ever put together with its own kind of value
    private <T> @Nullable Setting<T> setting(Knob<T> knob) {
        return (Setting<T>) set.get(knob);
    }

    private <T> T value(Knob<T> knob) {
        return value(values, knob);
    }

    @SuppressWarnings("unchecked") // as above
    static <T> T value(Map<Knob<?>, Object> values, Knob<T> knob) {
        T value = (T) values.get(knob);
        if (value == null) {
            throw new IllegalStateException("bug: " + knob + " has no value");
        }
        return value;
    }

    @SuppressWarnings("unchecked") // as above
    static <T> @Nullable T valueOrNull(Map<Knob<?>, Object> values, Knob<T> knob) {
        return (T) values.get(knob);
    }
}
