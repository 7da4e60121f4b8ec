// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import java.time.Duration;
import java.util.List;

/** The change of arrivals over time, as a factor; 1 is the workload's own rate. Immutable. */
public sealed interface Traffic {

    /** Always the same. */
    Traffic STEADY = new Steady();

    /** The factor at {@code nanos} from the start. */
    double at(long nanos);

    /** Always 1. */
    record Steady() implements Traffic {
        @Override
        public double at(long nanos) {
            return 1;
        }
    }

    /**
     * A curve from {@code least} to {@code most} and back each period, the least at the start.
     *
     * @param least the factor at night
     * @param most the factor at noon
     * @param period the length of a day
     */
    record Daily(double least, double most, Duration period) implements Traffic {
        @Override
        public double at(long nanos) {
            double turn = 2 * StrictMath.PI * (nanos % period.toNanos()) / period.toNanos();
            return least + (most - least) * (1 - StrictMath.cos(turn)) / 2;
        }
    }

    /**
     * 1, but for a while another factor.
     *
     * @param at its beginning
     * @param length how long it lasts
     * @param factor the factor
     */
    record Spike(Duration at, Duration length, double factor) implements Traffic {
        @Override
        public double at(long nanos) {
            long since = nanos - at.toNanos();
            return since >= 0 && since < length.toNanos() ? factor : 1;
        }
    }

    /**
     * Factors as recorded, each from its time until the next; 0 before the first.
     *
     * @param steps in the order of their times
     */
    record Replay(List<Step> steps) implements Traffic {

        public Replay {
            steps = List.copyOf(steps);
        }

        @Override
        public double at(long nanos) {
            int low = 0;
            int high = steps.size();
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (steps.get(middle).at().toNanos() <= nanos) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low == 0 ? 0 : steps.get(low - 1).factor();
        }
    }

    /**
     * A moment of a recording.
     *
     * @param at its time
     * @param factor the factor from then on
     */
    record Step(Duration at, double factor) {}
}
