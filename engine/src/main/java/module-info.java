// SPDX-License-Identifier: Apache-2.0
/** A pool of anything, kept full ahead of demand. */
@SuppressWarnings("module") // the modules it opens its internals to are built later
module dev.forebay.engine {
    requires org.slf4j;
    requires static transitive com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.forebay.engine;
    exports dev.forebay.time;
    exports dev.forebay.engine.internal to
            dev.forebay,
            dev.forebay.dsql,
            dev.forebay.fleet,
            dev.forebay.local,
            dev.forebay.model,
            dev.forebay.registry,
            dev.forebay.sim,
            dev.forebay.spring,
            dev.forebay.tx;
}
