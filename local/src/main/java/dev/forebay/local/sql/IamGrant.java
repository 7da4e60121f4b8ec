// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.Optional;

/**
 * AWS IAM GRANT or REVOKE: who may connect as a role.
 *
 * @param isGrant whether it grants; else it revokes
 * @param role the role of the database
 * @param identity the ARN
 */
record IamGrant(boolean isGrant, String role, String identity) {

    /** The grant that {@code statement} is; nothing if it is another statement, or malformed. */
    static Optional<IamGrant> of(Statement statement) {
        TokenCursor words = TokenCursor.of(statement);
        if (!words.accept("AWS", "IAM") || !words.isAny("GRANT", "REVOKE")) {
            return Optional.empty();
        }
        boolean grant = words.accept("GRANT");
        if (!grant) {
            words.skip();
        }
        String role = words.name();
        boolean joined = words.accept(grant ? "TO" : "FROM");
        String identity = words.string();
        words.skip();
        return role.isEmpty() || !joined || identity.isEmpty() || !words.done()
                ? Optional.empty()
                : Optional.of(new IamGrant(grant, role, identity));
    }

    /** The command tag that a client gets. */
    String tag() {
        return isGrant ? "AWS IAM GRANT" : "AWS IAM REVOKE";
    }

    /** The same for PostgreSQL. */
    String call() {
        String procedure = isGrant ? "sys.iam_grant" : "sys.iam_revoke";
        return "CALL " + procedure + "(" + Sql.literal(role) + ", " + Sql.literal(identity) + ")";
    }
}
