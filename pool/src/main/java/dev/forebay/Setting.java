// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

/**
 * The value of a knob, and who set it.
 *
 * @param value the value
 * @param text the value as it was written, for messages
 * @param origin who set it
 */
record Setting<T>(T value, String text, Origin origin) {

    static <T> Setting<T> byCode(Knob<T> knob, T value) {
        return new Setting<>(value, knob.kind().format().apply(value), new Origin(Source.CODE, knob.property()));
    }

    /** Reads what a source says about {@code knob}. */
    static <T> Setting<T> parse(Knob<T> knob, String text, Origin origin) {
        try {
            return new Setting<>(knob.kind().parser().apply(text), text, origin);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    origin.name + "=" + text + ": " + e.getMessage() + "; valid is "
                            + knob.kind().valid(),
                    e);
        }
    }

    /** How messages speak of it: by the name that its author used. */
    String words() {
        return origin.name + "=" + text;
    }

    /** Who sets knobs. */
    enum Source {
        ENVIRONMENT,
        PROPERTY,
        CODE
    }

    /**
     * Who set a knob.
     *
     * @param source which kind of author
     * @param name the name by which it was set
     */
    record Origin(Source source, String name) {
        @Override
        public String toString() {
            return switch (source) {
                case ENVIRONMENT -> "environment variable " + name;
                case PROPERTY -> "property " + name;
                case CODE -> "code";
            };
        }
    }
}
