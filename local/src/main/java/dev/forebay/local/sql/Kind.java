// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

/** The kinds of statement, as far as the rules of Aurora DSQL tell them apart. */
public enum Kind {
    /** Blanks and comments. */
    EMPTY,
    /** BEGIN, START TRANSACTION. */
    BEGIN,
    /** COMMIT, END. */
    COMMIT,
    /** ROLLBACK, ABORT; not ROLLBACK TO. */
    ROLLBACK,
    /** Changes the catalog: CREATE, ALTER, DROP, GRANT, REVOKE, COMMENT and the like. */
    DDL,
    INSERT,
    UPDATE,
    DELETE,
    MERGE,
    /** SELECT, VALUES, TABLE, without a locking clause at its outermost level. */
    SELECT,
    /** A SELECT with a locking clause. */
    LOCKING_SELECT,
    COPY_IN,
    COPY_OUT,
    /** SET, RESET, DISCARD. */
    SET,
    SHOW,
    /** EXPLAIN, with ANALYZE or without; see {@link Statement#writes()}. */
    EXPLAIN,
    CALL,
    /** Everything else. */
    OTHER
}
