// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

/** SQLSTATEs of refused statements, as PostgreSQL has them. */
final class SqlStates {

    /** An object or an option that is there already. */
    static final String DUPLICATE = "42710";

    /** An object or an option that is not there. */
    static final String UNDEFINED = "42704";

    /** Something still depends on it. */
    static final String DEPENDED_ON = "2BP01";

    /** No procedure of that name takes these arguments. */
    static final String NO_SUCH_PROCEDURE = "42883";

    /** A value that cannot be used. */
    static final String INVALID_VALUE = "22023";

    /** A name that means something else. */
    static final String RESERVED_NAME = "42939";

    private SqlStates() {}
}
