// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.metadata.AbstractDataSourcePoolMetadata;

/** The pool in the words of Spring Boot, from which it makes {@code jdbc.connections.*}. Thread-safe. */
final class ForebayPoolMetadata extends AbstractDataSourcePoolMetadata<ForebayDataSource> {

    ForebayPoolMetadata(ForebayDataSource dataSource) {
        super(dataSource);
    }

    @Override
    public Integer getActive() {
        return getDataSource().stats().borrowed();
    }

    @Override
    public Integer getIdle() {
        return getDataSource().stats().ready();
    }

    @Override
    public Integer getMax() {
        return getDataSource().stats().maxOpen();
    }

    /** Returns the connections that are kept open while idle. */
    @Override
    public Integer getMin() {
        return getDataSource().stats().target();
    }

    @Override
    public @Nullable String getValidationQuery() {
        return getDataSource().config().validationSql();
    }

    @Override
    public Boolean getDefaultAutoCommit() {
        return getDataSource().config().autoCommit();
    }
}
