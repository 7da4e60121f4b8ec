// SPDX-License-Identifier: Apache-2.0
/** Transactions that are run again after a conflict, over any data source. */
module dev.forebay.tx {
    requires org.slf4j;
    requires transitive dev.forebay.engine;
    requires transitive java.sql;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.forebay.tx;
}
