// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.List;
import java.util.Optional;

/**
 * The judgement of a profile on a statement: a refusal, or questions whose answers may refuse it yet, or nothing. Immutable.
 *
 * @param refusal the refusal, if the statement alone shows it
 * @param checks the questions to PostgreSQL before the statement runs, in this order; none if there is a refusal
 */
public record Judgement(Optional<SqlRefusal> refusal, List<Check> checks) {

    /** Nothing to say against it. */
    public static final Judgement ACCEPTED = new Judgement(Optional.empty(), List.of());

    public Judgement {
        checks = List.copyOf(checks);
    }

    static Judgement refused(SqlRefusal refusal) {
        return new Judgement(Optional.of(refusal), List.of());
    }
}
