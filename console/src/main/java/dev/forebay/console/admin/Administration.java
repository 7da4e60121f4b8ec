// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.sql.SQLException;
import java.util.List;

/** Does what an administrator's statements say, all but the questions. Thread-safe. */
interface Administration {

    /**
     * Does it, and returns when it is done.
     *
     * @param user who asks
     * @throws SQLException with the SQLSTATE that the client is shown
     */
    Answer perform(AdminStatement statement, String user) throws SQLException;

    /** The columns that the answer to {@code statement} will have; clients ask before they have it done. */
    default List<Answer.Column> columns(AdminStatement statement) {
        return List.of();
    }
}
