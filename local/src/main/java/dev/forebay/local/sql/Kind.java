// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

/** What a statement is, as far as the rules of Aurora DSQL tell statements apart. */
public enum Kind {
    /** Blanks and comments. */
    EMPTY,
    /** BEGIN, START TRANSACTION. */
    BEGIN,
    /** COMMIT, END. */
    COMMIT,
    /** ROLLBACK, ABORT; not ROLLBACK TO. */
    ROLLBACK,
    /** What changes the catalog: CREATE, ALTER, DROP, GRANT, REVOKE, COMMENT and the like. */
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
