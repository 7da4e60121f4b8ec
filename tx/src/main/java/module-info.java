// SPDX-License-Identifier: Apache-2.0
/** Transactions that are retried after a conflict, over any data source. */
@SuppressWarnings("module") // the modules it opens its inside to are built later
module dev.forebay.tx {
    requires org.slf4j;
    requires transitive dev.forebay.engine;
    requires transitive java.sql;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.forebay.tx;
    exports dev.forebay.tx.internal to
            dev.forebay,
            dev.forebay.dsql,
            dev.forebay.registry,
            dev.forebay.spring,
            dev.forebay.temporal;
}
