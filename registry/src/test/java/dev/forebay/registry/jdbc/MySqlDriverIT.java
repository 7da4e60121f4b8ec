// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import dev.forebay.registry.DatabaseType;

/**
 * MySQL's own driver, and the type {@code MYSQL}, on a MariaDB server: both speak one protocol, the reset (COM_RESET_CONNECTION)
 * and the numbers of errors included. What MySQL's server alone has stays untested, above all its default login
 * ({@code caching_sha2_password}).
 */
class MySqlDriverIT extends DatabaseContract {

    @Override
    RealServer start() throws Exception {
        return RealServer.mariaDb(DatabaseType.MYSQL);
    }

    @Override
    String missing() {
        return RealServer.hasMariaDb() ? null : "no MariaDB server is installed, or this is not root";
    }
}
