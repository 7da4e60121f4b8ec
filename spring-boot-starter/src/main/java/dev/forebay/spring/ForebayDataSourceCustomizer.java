// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayDataSource;

/**
 * A bean that changes how the pool for a JDBC URL is built, before it starts: a property of the driver, a password
 * that rotates. For Aurora DSQL there is {@link AuroraDsqlCustomizer}.
 */
@FunctionalInterface
public interface ForebayDataSourceCustomizer {

    /** Changes {@code builder}. */
    void customize(ForebayDataSource.Builder builder);
}
