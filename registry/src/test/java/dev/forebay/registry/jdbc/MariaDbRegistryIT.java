// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

class MariaDbRegistryIT extends DatabaseContract {

    @Override
    RealServer start() throws Exception {
        return RealServer.mariaDb();
    }

    @Override
    String missing() {
        return RealServer.hasMariaDb() ? null : "no MariaDB server is installed, or this is not root";
    }
}
