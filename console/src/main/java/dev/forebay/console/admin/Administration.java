// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.sql.SQLException;
import java.util.List;

/** Performs an administrator's statements, all but the questions. Thread-safe. */
interface Administration {

    /**
     * Performs it, and returns when it is done.
     *
     * @param user the caller
     * @throws SQLException with the SQLSTATE that the client is shown
     */
    Answer perform(AdminStatement statement, String user) throws SQLException;

    /** The columns that the answer to {@code statement} will have; clients ask before they run it. */
    default List<Answer.Column> columns(AdminStatement statement) {
        return List.of();
    }
}
