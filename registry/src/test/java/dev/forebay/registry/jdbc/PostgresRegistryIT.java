// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

class PostgresRegistryIT extends DatabaseContract {

    @Override
    RealServer start() throws Exception {
        return RealServer.postgres();
    }

    @Override
    String missing() {
        return null;
    }
}
