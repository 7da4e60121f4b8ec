// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.engine.PoolConfig.Exhaustion;
import dev.forebay.engine.Supply;
import dev.forebay.engine.internal.GoDuration;
import dev.forebay.engine.internal.Option;
import dev.forebay.engine.internal.OptionValues;
import java.time.Duration;

/**
 * Makes values of settings: corrects, derives the unset ones, and refuses contradictions. A contradiction is looked for
 * only among the knobs of the mode at hand, so that knobs of another mode do no harm.
 */
final class Resolution {

    private final OptionValues values;

    private Resolution(OptionValues values) {
        this.values = values;
    }

    /** Completes {@code values} from the settings in it. */
    static void resolve(OptionValues values) {
        Resolution resolution = new Resolution(values);
        resolution.correct();
        values.takeAll();
        resolution.derive();
        resolution.refuseContradictions();
    }

    /** Replaces values that make no sense, where the rules do not refuse them. */
    private void correct() {
        replace(Knobs.BASE_LIFETIME, Duration.ofMinutes(11), true);
        replace(Knobs.LIFETIME_JITTER, Duration.ZERO, false);
        replace(Knobs.GUARD_WINDOW, Duration.ZERO, false);
    }

    private void replace(Option<Duration> knob, Duration value, boolean zeroToo) {
        OptionValues.Setting<Duration> setting = values.setting(knob);
        if (setting != null
                && (setting.value().isNegative() || (zeroToo && setting.value().isZero()))) {
            values.put(knob, value);
            values.notice(setting.words() + " is taken as " + GoDuration.format(value));
        }
    }

    private void derive() {
        boolean reservoir = values.get(Knobs.MODE) == ForebayConfig.Mode.RESERVOIR;
        values.put(Knobs.RESERVOIR_ENABLED, reservoir);
        values.putIfAbsent(Knobs.TARGET_READY, values.get(Knobs.MAX_OPEN));
        boolean followsTarget = reservoir && !values.isSet(Knobs.MAX_OPEN) && !values.get(Knobs.UNDER_ANOTHER_POOL);
        int target = values.get(Knobs.TARGET_READY);
        values.putIfAbsent(Knobs.LOW_WATERMARK, followsTarget ? target : Math.min(target, values.get(Knobs.MAX_OPEN)));
        int watermark = values.get(Knobs.LOW_WATERMARK);
        if (values.get(Knobs.TARGET_READY) < watermark) {
            if (reservoir) {
                values.notice(values.words(Knobs.TARGET_READY) + " is raised to " + values.words(Knobs.LOW_WATERMARK));
            }
            values.put(Knobs.TARGET_READY, watermark);
        }
        values.putIfAbsent(
                Knobs.MAX_LIFETIME_JITTER, values.get(Knobs.MAX_LIFETIME).dividedBy(10));
        values.putIfAbsent(Knobs.SPARE, Math.max(1, values.get(Knobs.TARGET_READY) / 10));
        values.putIfAbsent(Knobs.OUTER_POOL_SIZE, values.get(Knobs.MAX_OPEN));
        Duration spread =
                values.get(Knobs.MAX_LIFETIME).isZero() ? Duration.ofMinutes(2) : values.get(Knobs.MAX_LIFETIME_JITTER);
        values.putIfAbsent(Knobs.KEEPER_BATCH, Supply.keeperBatch(values.get(Knobs.MAX_OPEN), spread));
        if (followsTarget) {
            values.put(Knobs.MAX_OPEN, values.get(Knobs.TARGET_READY));
        }
    }

    private void refuseContradictions() {
        refuseWaits(Knobs.RETRY_BASE_DELAY, Knobs.RETRY_MAX_DELAY, "a base_delay of at most the max_delay");
        switch (values.get(Knobs.MODE)) {
            case STANDARD -> {
                refuseWaits(
                        Knobs.WARMUP_BACKOFF,
                        Knobs.WARMUP_MAX_BACKOFF,
                        "a warmup-backoff of at most the warmup-max-backoff");
                refuseMaxLifetime();
            }
            case RESERVOIR -> {
                refuseBackoff();
                refuseLifetime();
                values.refuse(
                        !values.get(Knobs.UNDER_ANOTHER_POOL)
                                && values.get(Knobs.TARGET_READY) > values.get(Knobs.MAX_OPEN),
                        "so many can never be ready",
                        "a target-ready and a low-watermark of at most max-open, or no max-open",
                        Knobs.TARGET_READY,
                        Knobs.LOW_WATERMARK,
                        Knobs.MAX_OPEN);
            }
            case ON_DEMAND -> {
                refuseBackoff();
                refuseMaxLifetime();
                values.refuse(
                        values.get(Knobs.MIN_IDLE) > values.get(Knobs.MAX_OPEN),
                        "so many can never be idle",
                        "a min-idle of at most max-open",
                        Knobs.MIN_IDLE,
                        Knobs.MAX_OPEN);
                values.refuse(
                        values.get(Knobs.EXHAUSTION) == Exhaustion.OVERFLOW && values.get(Knobs.OVERFLOW) == 0,
                        "there is nothing to overflow into",
                        "an overflow of at least 1, or another exhaustion",
                        Knobs.EXHAUSTION,
                        Knobs.OVERFLOW);
            }
        }
    }

    private void refuseBackoff() {
        refuseWaits(Knobs.BACKOFF, Knobs.MAX_BACKOFF, "a backoff of at most the max-backoff");
    }

    private void refuseWaits(Option<Duration> first, Option<Duration> longest, String needed) {
        values.refuse(
                values.get(first).compareTo(values.get(longest)) > 0,
                "the first wait is longer than the longest",
                needed,
                first,
                longest);
    }

    private void refuseLifetime() {
        Duration shortest = values.get(Knobs.BASE_LIFETIME)
                .minus(values.get(Knobs.LIFETIME_JITTER).dividedBy(2));
        values.refuse(
                shortest.compareTo(values.get(Knobs.GUARD_WINDOW)) <= 0,
                "some connections would never be handed out, since the shortest lifetime is "
                        + GoDuration.format(shortest),
                "a guard-window shorter than base-lifetime less half of lifetime-jitter",
                Knobs.BASE_LIFETIME,
                Knobs.LIFETIME_JITTER,
                Knobs.GUARD_WINDOW);
    }

    private void refuseMaxLifetime() {
        Duration longest = values.get(Knobs.MAX_LIFETIME);
        values.refuse(
                !longest.isZero() && values.get(Knobs.MAX_LIFETIME_JITTER).compareTo(longest) >= 0,
                "some connections would end as soon as they are opened",
                "a max-lifetime-jitter shorter than max-lifetime",
                Knobs.MAX_LIFETIME,
                Knobs.MAX_LIFETIME_JITTER);
    }
}
