// SPDX-License-Identifier: Apache-2.0
package dev.forebay.lab.sql;

/** What Aurora DSQL refused at a date, whatever the transaction. Immutable. */
public final class Profile {

    /** What was in force in September 2026. */
    public static final Profile SEPTEMBER_2026 = new Profile();

    private Profile() {}

    /** What it says of a statement. */
    public Judgement judge(Statement statement) {
        return Judgement.ACCEPTED;
    }
}
