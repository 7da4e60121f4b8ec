// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Matches texts for one statement, and ends with it. Confined to the thread that runs the statement.
 *
 * <p>H2 matches a LIKE by trying every way to share the text among its percent signs, and a regular expression by Java's on a
 * String: neither looks at the statement's timeout, and both can take years for a line of text. Here LIKE takes no more steps
 * than the text times the pattern, and both look at the clock as they read the text. {@link ExpressionCheck} refuses regular
 * expressions that need not read it.
 */
final class PatternMatch {

    /** Characters read between two looks at the clock. */
    private static final int STRIDE = 1 << 10;

    /** Largest product of the counts in braces: a part that matches nothing is repeated without reading a character. */
    private static final int MOST_REPEATS = 1_000;

    private static final Pattern COUNT = Pattern.compile("\\{(\\d*)(?:,(\\d*))?");

    private final Clock clock;
    private final Map<String, Pattern> expressions = new HashMap<>();
    private int steps;

    /** A check that throws if the statement may not go on. */
    interface Clock {
        void check() throws AdminException;
    }

    PatternMatch(Clock clock) {
        this.clock = clock;
    }

    /**
     * Returns whether {@code text} matches.
     *
     * @param operator of PostgreSQL's, in signs
     * @param escape makes the next sign of a LIKE stand for itself; may be empty
     */
    boolean matches(String text, String pattern, String operator, String escape) throws AdminException {
        boolean negated = operator.startsWith("!");
        boolean ignoresCase = operator.endsWith("*");
        boolean found = operator.contains("~~")
                ? like(text, new Wildcards(pattern, escape, ignoresCase), ignoresCase)
                : find(text, pattern, ignoresCase);
        return found != negated;
    }

    private void step() throws AdminException {
        if (++steps % STRIDE == 0) {
            clock.check();
        }
    }

    // ---- LIKE

    /** A pattern of LIKE, a sign for each character that it takes. */
    private static final class Wildcards {
        static final int ONE = -1;
        static final int ANY = -2;

        final int[] signs;

        Wildcards(String pattern, String escape, boolean ignoresCase) throws AdminException {
            if (escape.codePointCount(0, escape.length()) > 1) {
                throw new AdminException("22019", "an escape is one character or none");
            }
            int escapes = escape.isEmpty() ? -1 : escape.codePointAt(0);
            int[] characters = pattern.codePoints().toArray();
            int[] made = new int[characters.length];
            int count = 0;
            for (int i = 0; i < characters.length; i++) {
                int character = characters[i];
                if (character == escapes) {
                    if (++i == characters.length) {
                        throw new AdminException("22025", "LIKE pattern must not end with escape character");
                    }
                    made[count++] = fold(characters[i], ignoresCase);
                } else {
                    made[count++] = character == '%' ? ANY : character == '_' ? ONE : fold(character, ignoresCase);
                }
            }
            this.signs = Arrays.copyOf(made, count);
        }
    }

    /** Matches LIKE: a percent sign takes as little as it can, and only the last one met ever has to take more. */
    private boolean like(String text, Wildcards pattern, boolean ignoresCase) throws AdminException {
        int[] characters = text.codePoints().toArray();
        int[] signs = pattern.signs;
        int at = 0;
        int sign = 0;
        int any = -1;
        int resume = 0;
        while (at < characters.length) {
            step();
            if (sign < signs.length && signs[sign] == Wildcards.ANY) {
                any = ++sign;
                resume = at;
            } else if (sign < signs.length
                    && (signs[sign] == Wildcards.ONE || signs[sign] == fold(characters[at], ignoresCase))) {
                at++;
                sign++;
            } else if (any >= 0) {
                sign = any;
                at = ++resume;
            } else {
                return false;
            }
        }
        while (sign < signs.length && signs[sign] == Wildcards.ANY) {
            sign++;
        }
        return sign == signs.length;
    }

    private static int fold(int character, boolean ignoresCase) {
        return ignoresCase ? Character.toLowerCase(Character.toUpperCase(character)) : character;
    }

    // ---- regular expressions

    private boolean find(String text, String pattern, boolean ignoresCase) throws AdminException {
        try {
            Pattern expression = expressions.get(ignoresCase + pattern);
            if (expression == null) {
                expression = expression(pattern, ignoresCase);
                expressions.put(ignoresCase + pattern, expression);
            }
            return expression.matcher(new Watched(text)).find();
        } catch (Ended e) {
            throw e.refusal;
        } catch (StackOverflowError e) {
            throw new AdminException("54001", "the regular expression goes too deep for this text", 0, e);
        }
    }

    private static Pattern expression(String pattern, boolean ignoresCase) throws AdminException {
        long repeats = 1;
        for (Matcher counts = COUNT.matcher(pattern); counts.find(); ) {
            repeats *= Math.max(count(counts.group(1)), count(counts.group(2)));
            if (repeats > MOST_REPEATS) {
                throw new AdminException(
                        "2201B", "invalid regular expression: it repeats more than " + MOST_REPEATS + " times");
            }
        }
        try {
            Pattern compiled =
                    Pattern.compile(pattern, ignoresCase ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0);
            ExpressionCheck.check(pattern);
            return compiled;
        } catch (PatternSyntaxException e) {
            throw new AdminException("2201B", "invalid regular expression: " + e.getDescription(), 0, e);
        }
    }

    private static long count(@Nullable String digits) {
        return digits == null || digits.isEmpty()
                ? 1
                : digits.length() > 9 ? Integer.MAX_VALUE : Long.parseLong(digits);
    }

    /** A text that looks at the clock as it is read. */
    private final class Watched implements CharSequence {
        private final String text;

        Watched(String text) {
            this.text = text;
        }

        @Override
        public char charAt(int index) {
            try {
                step();
            } catch (AdminException e) {
                throw new Ended(e);
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.substring(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Carries a refusal out of Java's matcher. */
    private static final class Ended extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final AdminException refusal;

        Ended(AdminException refusal) {
            super(refusal);
            this.refusal = refusal;
        }
    }
}
