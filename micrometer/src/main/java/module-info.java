// SPDX-License-Identifier: Apache-2.0
/** Metrics of pools, transactions, fleets and registries in Micrometer. */
module dev.forebay.micrometer {
    requires org.slf4j;
    requires transitive dev.forebay.engine;
    requires transitive micrometer.core;
    requires static micrometer.registry.prometheus;
    requires static io.prometheus.metrics.model;
    requires static com.google.errorprone.annotations;
    requires static transitive org.jspecify;

    exports dev.forebay.micrometer;
}
