// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.sql.SQLException;

/** Does what an administrator's statements say, all but the questions. Thread-safe. */
interface Administration {

    /**
     * Does it, and returns when it is done.
     *
     * @param user who asks
     * @throws SQLException with the SQLSTATE that the client is shown
     */
    Answer perform(AdminStatement statement, String user) throws SQLException;
}
