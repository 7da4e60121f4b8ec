// SPDX-License-Identifier: Apache-2.0
/** Limits on connections that many services share. */
module dev.forebay.fleet {
    requires org.slf4j;
    requires transitive dev.forebay.engine;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.forebay.fleet;
}
