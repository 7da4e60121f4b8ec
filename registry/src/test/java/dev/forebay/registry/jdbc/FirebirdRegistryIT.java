// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

class FirebirdRegistryIT extends DatabaseContract {

    @Override
    RealServer start() throws Exception {
        return RealServer.firebird();
    }

    @Override
    String missing() {
        return RealServer.hasFirebird() ? null : "no Firebird server is installed, or this is not root";
    }
}
