// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import org.jspecify.annotations.Nullable;

/** A {@link FleetStore} that gave no answer; a write may have taken effect, or may yet. */
public final class StoreException extends Exception {
    private static final long serialVersionUID = 1;

    /** The reason there is no answer. */
    public enum Trouble {
        /** Too many requests: come back later. */
        THROTTLED("throttled"),
        /** No answer came in time, or the store failed. */
        OUT_OF_REACH("out_of_reach"),
        /** We may not do this, or our identity is unknown. */
        DENIED("denied"),
        /** There is no such table. */
        NO_TABLE("no_table");

        private final String label;

        Trouble(String label) {
            this.label = label;
        }

        /** The value of the {@code trouble} label. */
        public String label() {
            return label;
        }
    }

    private final Trouble trouble;

    /** Trouble of a kind; the message holds no secret. */
    public StoreException(Trouble trouble, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.trouble = trouble;
    }

    /** The reason there is no answer. */
    public Trouble trouble() {
        return trouble;
    }
}
