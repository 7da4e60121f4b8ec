// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.dsql.AuroraDsql;

/**
 * A bean that changes how the pool for Aurora DSQL is built, before it starts: other credentials, another store for
 * the limits of the fleet, a property of the driver.
 */
@FunctionalInterface
public interface AuroraDsqlCustomizer {

    /** Changes {@code builder}. */
    void customize(AuroraDsql.Builder builder);
}
