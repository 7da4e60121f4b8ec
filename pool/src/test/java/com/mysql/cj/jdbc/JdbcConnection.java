// SPDX-License-Identifier: Apache-2.0
package com.mysql.cj.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** Stands in for the interface of MySQL's driver, which is not on the class path; the method is the one it has. */
public interface JdbcConnection extends Connection {

    void resetServerState() throws SQLException;
}
