// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

/**
 * Refuses regular expressions that Java's matcher could try in more and more ways without reading a character, since the
 * clock is looked at only when one is read. Confined to a thread.
 *
 * <p>An expression passes if each choice in it can go on in at most one way without reading: of the alternatives of a group
 * at most one may match the empty text, and nothing that may match it is repeated or optional. Every other way begins with a
 * character that is read, or that is missing at the end of the text. So the steps between two characters are bounded by the
 * expression's length. Syntax that would make this hard to decide is refused: lookarounds, quotes, comments.
 */
final class ExpressionCheck {

    /** Maximum alternatives and quantifiers in one expression. */
    private static final int MOST_CHOICES = 20;

    private final String pattern;
    private int at;
    private int choices;

    private ExpressionCheck(String pattern) {
        this.pattern = pattern;
    }

    /** Throws unless {@code pattern} may be matched. Its validity is left to the compiler. */
    static void check(String pattern) throws AdminException {
        ExpressionCheck check = new ExpressionCheck(pattern);
        check.alternatives();
        if (check.at < pattern.length()) {
            throw invalid("parentheses () not balanced");
        }
    }

    private boolean next(String sign) {
        if (!pattern.startsWith(sign, at)) {
            return false;
        }
        at += sign.length();
        return true;
    }

    private boolean isAtOneOf(String signs) {
        return at < pattern.length() && signs.indexOf(pattern.charAt(at)) >= 0;
    }

    /** Reads up to a closing parenthesis or the end; returns whether the empty text may match. */
    private boolean alternatives() throws AdminException {
        boolean mayBeEmpty = sequence();
        while (next("|")) {
            countChoice();
            boolean anotherMayBeEmpty = sequence();
            if (mayBeEmpty && anotherMayBeEmpty) {
                throw invalid("more than one alternative may be empty");
            }
            mayBeEmpty |= anotherMayBeEmpty;
        }
        return mayBeEmpty;
    }

    private boolean sequence() throws AdminException {
        boolean mayBeEmpty = true;
        while (at < pattern.length() && !isAtOneOf("|)")) {
            mayBeEmpty &= quantified();
        }
        return mayBeEmpty;
    }

    private boolean quantified() throws AdminException {
        if (isAtOneOf("?*+{")) {
            throw invalid("quantifier operand invalid");
        }
        boolean mayBeEmpty = atom();
        if (!isAtOneOf("?*+{")) {
            return mayBeEmpty;
        }
        if (mayBeEmpty) {
            throw invalid("what may be empty cannot have a quantifier");
        }
        countChoice();
        boolean optional = isAtOneOf("?*");
        if (next("{")) {
            optional = isOptionalCount();
        } else {
            at++;
        }
        if (isAtOneOf("?+")) { // reluctant or possessive
            at++;
        }
        if (isAtOneOf("?*+{")) {
            throw invalid("quantifier operand invalid");
        }
        return optional;
    }

    /** Reads a count in braces; returns whether it begins at none. */
    private boolean isOptionalCount() throws AdminException {
        int end = pattern.indexOf('}', at);
        if (end < 0) {
            throw invalid("braces {} not balanced");
        }
        int comma = pattern.indexOf(',', at);
        String least = pattern.substring(at, comma < 0 || comma > end ? end : comma);
        at = end + 1;
        return least.chars().noneMatch(digit -> digit >= '1' && digit <= '9');
    }

    /** Reads one character, class, group or anchor; returns whether the empty text may match. */
    private boolean atom() throws AdminException {
        if (next("(?i)")) {
            return true;
        }
        if (next("(?:") || next("(")) {
            if (isAtOneOf("?")) {
                throw invalid("of the groups that begin with (? there are only (?: and (?i)");
            }
            boolean mayBeEmpty = alternatives();
            if (!next(")")) {
                throw invalid("parentheses () not balanced");
            }
            return mayBeEmpty;
        }
        if (next("[")) {
            characterClass();
            return false;
        }
        if (next("\\")) {
            return escape();
        }
        boolean anchor = isAtOneOf("^$");
        at++;
        return anchor;
    }

    /** Reads up to the end of a class. Java's classes nest. */
    private void characterClass() throws AdminException {
        next("^");
        next("]"); // at the beginning it stands for itself
        while (!next("]")) {
            if (at == pattern.length()) {
                throw invalid("brackets [] not balanced");
            }
            if (next("&&")) {
                throw invalid("there is no && in brackets");
            }
            if (next("[")) {
                characterClass();
            } else if (next("\\")) {
                escape();
            } else {
                at++;
            }
        }
    }

    /** Reads the part after a backslash; returns whether the empty text may match. */
    private boolean escape() throws AdminException {
        if (at == pattern.length() || isAtOneOf("QE")) {
            throw invalid("invalid escape \\ sequence");
        }
        if (isAtOneOf("123456789")) { // a group again
            while (isAtOneOf("0123456789")) {
                at++;
            }
            return true;
        }
        boolean anchor = isAtOneOf("bBAZzGk");
        boolean braced = isAtOneOf("pPxN");
        at += isAtOneOf("c") ? 2 : 1; // a control character takes the next with it
        if (braced && next("{")) {
            int end = pattern.indexOf('}', at);
            at = end < 0 ? pattern.length() : end + 1;
        }
        at = Math.min(at, pattern.length());
        return anchor;
    }

    private void countChoice() throws AdminException {
        if (++choices > MOST_CHOICES) {
            throw invalid("it has more than " + MOST_CHOICES + " alternatives and quantifiers");
        }
    }

    private static AdminException invalid(String why) {
        return new AdminException("2201B", "invalid regular expression: " + why);
    }
}
