// SPDX-License-Identifier: Apache-2.0
/** A JDBC connection pool that keeps connections ready ahead of demand. */
@SuppressWarnings("module") // those it opens its inside to are built later
module dev.forebay {
    requires java.management;
    requires org.slf4j;
    requires transitive dev.forebay.engine;
    requires transitive dev.forebay.tx;
    requires transitive java.sql;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.forebay;
    exports dev.forebay.spi;
    exports dev.forebay.jdbc to
            dev.forebay.dsql,
            dev.forebay.registry;

    provides java.sql.Driver with
            dev.forebay.ForebayDriver;

    uses java.sql.Driver;
}
