// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayDataSource;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.jdbc.DataSourceUnwrapper;

/** Finds the pool of an application, also behind wrappers. */
final class PoolIn {

    private PoolIn() {}

    /** Returns the one pool among the beans, or the primary one. */
    static ForebayDataSource the(ListableBeanFactory beans) {
        ForebayDataSource plain = beans.getBeanProvider(ForebayDataSource.class).getIfUnique();
        if (plain != null) {
            return plain;
        }
        ForebayDataSource wrapped = unwrap(beans.getBean(DataSource.class));
        if (wrapped == null) {
            throw new IllegalStateException("bug: there is no pool among the beans");
        }
        return wrapped;
    }

    /** Returns the pool that {@code dataSource} is or wraps, null if there is none. */
    static @Nullable ForebayDataSource unwrap(DataSource dataSource) {
        return DataSourceUnwrapper.unwrap(dataSource, ForebayDataSource.class);
    }
}
