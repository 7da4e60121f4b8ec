// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.engine.Observer;
import dev.forebay.engine.PoolListener;
import dev.forebay.tx.TxListener;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * A pool in front of the driver for a JDBC URL.
 *
 * @param url the URL
 * @param user the user, if the URL names none
 * @param password the password, if there is one
 */
record UrlPool(String url, @Nullable String user, @Nullable String password) {

    /** Returns the pool of a service connection, such as a container of a test. */
    static UrlPool of(JdbcConnectionDetails details, @Nullable ClassLoader loader) {
        requireClass(details.getDriverClassName(), loader);
        return new UrlPool(details.getJdbcUrl(), details.getUsername(), details.getPassword());
    }

    /** Returns the pool of {@code spring.datasource}, or of the database in memory on the class path; null if none. */
    static @Nullable UrlPool of(DataSourceProperties properties) {
        requireClass(properties.getDriverClassName(), properties.getClassLoader());
        String url;
        try {
            url = properties.determineUrl();
        } catch (RuntimeException e) {
            if (StringUtils.hasText(properties.getUrl())) {
                throw e;
            }
            return null; // it has neither
        }
        return new UrlPool(url, properties.determineUsername(), properties.determinePassword());
    }

    ForebayDataSource build(
            ForebayConfig config,
            List<Observer> observers,
            List<PoolListener> listeners,
            List<TxListener> txListeners,
            List<ForebayDataSourceCustomizer> customizers)
            throws SQLException {
        requireDriver();
        ForebayDataSource.Builder builder =
                ForebayDataSource.builder().config(config).url(url);
        if (user != null) {
            builder.user(user);
        }
        if (password != null) {
            builder.password(password);
        }
        observers.forEach(builder::observer);
        listeners.forEach(builder::listener);
        txListeners.forEach(builder::txListener);
        customizers.forEach(customizer -> customizer.customize(builder));
        return builder.build();
    }

    private void requireDriver() {
        if (DriverManager.drivers().noneMatch(this::accepts)) {
            throw new StartFailure(
                    "No driver on the class path takes the URL of the data source, which begins with " + beginning()
                            + ".",
                    "Check spring.datasource.url" + missing(),
                    null);
        }
    }

    private static void requireClass(@Nullable String driver, @Nullable ClassLoader loader) {
        if (driver != null) {
            try {
                ClassUtils.forName(driver, loader);
            } catch (ClassNotFoundException | LinkageError e) {
                throw new StartFailure(
                        "The driver " + driver
                                + ", which spring.datasource.driver-class-name or a service connection names, is not on"
                                + " the class path.",
                        "Add the driver to the class path, or remove the property: the URL tells which driver it is for.",
                        e);
            }
        }
    }

    private boolean accepts(Driver candidate) {
        try {
            return candidate.acceptsURL(url);
        } catch (SQLException e) {
            return true; // it has found a fault in the URL, so it is the one
        }
    }

    /** Returns the part of the URL that names the database; the rest may hold a secret. */
    private String beginning() {
        int end = url.startsWith("jdbc:") ? url.indexOf(':', "jdbc:".length()) : url.indexOf(':');
        return end < 0 ? "no scheme at all" : url.substring(0, end + 1);
    }

    private String missing() {
        String scheme = url.toLowerCase(Locale.ROOT);
        DatabaseDriver known = scheme.startsWith("jdbc:") ? DatabaseDriver.fromJdbcUrl(url) : DatabaseDriver.UNKNOWN;
        if (known == DatabaseDriver.UNKNOWN) {
            return ", which has to begin with jdbc: and the name of a database, and that its driver is a dependency.";
        }
        String artifact = switch (known) {
            case POSTGRESQL -> " (org.postgresql:postgresql)";
            case MYSQL -> " (com.mysql:mysql-connector-j)";
            case MARIADB -> " (org.mariadb.jdbc:mariadb-java-client)";
            case H2 -> " (com.h2database:h2)";
            default -> "";
        };
        return ", and add the dependency that has " + known.getDriverClassName() + artifact + ".";
    }

    /** Names it without the URL, whose parameters may hold a secret. */
    @Override
    public String toString() {
        return "UrlPool " + beginning();
    }
}
