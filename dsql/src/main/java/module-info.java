// SPDX-License-Identifier: Apache-2.0
/** Aurora DSQL in the cloud. */
module dev.forebay.dsql {
    requires transitive dev.forebay;
    requires transitive dev.forebay.fleet;
    requires java.naming;
    requires org.postgresql.jdbc;
    requires org.slf4j;
    requires software.amazon.awssdk.awscore;
    requires software.amazon.awssdk.core;
    requires software.amazon.awssdk.http;
    requires software.amazon.awssdk.http.urlconnection;
    requires software.amazon.awssdk.identity.spi;
    requires software.amazon.awssdk.retries.api;
    requires software.amazon.awssdk.services.dsql;
    requires software.amazon.awssdk.utils;
    requires transitive software.amazon.awssdk.auth;
    requires transitive software.amazon.awssdk.regions;
    requires transitive software.amazon.awssdk.services.dynamodb;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.forebay.dsql;

    provides java.sql.Driver with
            dev.forebay.dsql.DsqlDriver;
}
