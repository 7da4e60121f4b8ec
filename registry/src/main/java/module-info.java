// SPDX-License-Identifier: Apache-2.0
/** Many servers and users: pools for each user, a cap for each server, health. */
module dev.forebay.registry {
    requires org.slf4j;
    requires transitive dev.forebay;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.forebay.registry;
    exports dev.forebay.registry.jdbc;

    uses java.sql.Driver;
}
