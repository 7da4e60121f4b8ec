// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench;

import java.util.List;

/** A benchmark that has a name on the command line. */
public interface Comparison {

    String name();

    /** Returns one line for the usage text. */
    String purpose();

    /** Returns its options beside {@link Options#COMMON}. */
    List<Options.Option> options();

    void run(Options options) throws Exception;

    /** Thrown instead of running, or of going on, for a reason that the user can mend. */
    final class Refusal extends Exception {
        private static final long serialVersionUID = 1;

        public Refusal(String message) {
            super(message);
        }
    }
}
