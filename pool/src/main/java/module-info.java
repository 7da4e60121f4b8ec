// SPDX-License-Identifier: Apache-2.0
/** A connection pool that keeps connections ready ahead of demand. */
module dev.forebay {
    requires java.management;
    requires transitive java.sql;
    requires org.slf4j;
    requires static com.google.errorprone.annotations;
    requires static transitive micrometer.core;
    requires static transitive org.jspecify;

    exports dev.forebay;
    exports dev.forebay.event;
    exports dev.forebay.fleet;
    exports dev.forebay.jdbc;
    exports dev.forebay.pool;
    exports dev.forebay.registry;
    exports dev.forebay.time;
    exports dev.forebay.tx;

    provides java.sql.Driver with
            dev.forebay.ForebayDriver;

    uses java.sql.Driver;
}
