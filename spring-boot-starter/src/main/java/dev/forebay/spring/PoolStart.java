// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.engine.Observer;
import dev.forebay.engine.PoolListener;
import dev.forebay.tx.ErrorMeaning;
import dev.forebay.tx.TxListener;
import dev.forebay.tx.internal.Causes;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Decides what the pool connects to, and starts it. In this order: a service connection, {@code forebay.dsql.endpoint},
 * {@code spring.datasource.url}, the variable {@code CLUSTER_ENDPOINT}, a database in memory.
 */
final class PoolStart {

    private static final String ENDPOINT = "forebay.dsql.endpoint";

    private static final String DSQL_CLASS = "dev.forebay.dsql.AuroraDsql";

    private final SpringSettings settings;
    private final ListableBeanFactory beans;
    private final @Nullable ClassLoader loader;

    PoolStart(SpringSettings settings, ListableBeanFactory beans, @Nullable ClassLoader loader) {
        this.settings = settings;
        this.beans = beans;
        this.loader = loader;
    }

    ForebayDataSource start() {
        List<Observer> observers = all(Observer.class);
        List<PoolListener> listeners = all(PoolListener.class);
        List<TxListener> txListeners = all(TxListener.class);
        ForebayConfig config = settings.config();
        try {
            UrlPool pool = urlPool();
            if (pool != null) {
                return pool.build(config, observers, listeners, txListeners, all(ForebayDataSourceCustomizer.class));
            }
            if (!ClassUtils.isPresent(DSQL_CLASS, loader)) {
                throw new StartFailure(
                        "There is an endpoint of Aurora DSQL (" + settings.origin(ENDPOINT)
                                + "), but the module for it is not on the class path.",
                        "Add the dependency dev.forebay:forebay-dsql, or set spring.datasource.url instead.",
                        null);
            }
            return DsqlPool.build(config, observers, listeners, txListeners, beans);
        } catch (SQLException e) {
            throw notStarted(e);
        }
    }

    private <T> List<T> all(Class<T> type) {
        return beans.getBeanProvider(type).orderedStream().toList();
    }

    /** Returns the URL to connect to, null if it is Aurora DSQL instead. */
    private @Nullable UrlPool urlPool() {
        JdbcConnectionDetails details =
                beans.getBeanProvider(JdbcConnectionDetails.class).getIfUnique();
        if (details != null) {
            return UrlPool.of(details, loader);
        }
        DataSourceProperties properties = beans.getBean(DataSourceProperties.class);
        boolean hasUrl = StringUtils.hasText(properties.getUrl());
        if (hasUrl && settings.isSetByProperty(ENDPOINT)) {
            throw new StartFailure(
                    "Both spring.datasource.url and forebay.dsql.endpoint are set (" + settings.origin(ENDPOINT)
                            + "), and a pool connects to one database.",
                    "Remove one of them.",
                    null);
        }
        if (!hasUrl && settings.config().clusterEndpoint() != null) {
            return null;
        }
        UrlPool pool = UrlPool.of(properties);
        if (pool == null) {
            throw new StartFailure(
                    "It is not said which database to connect to: there is no URL, no endpoint of Aurora DSQL and no"
                            + " database in memory on the class path.",
                    "Set spring.datasource.url (with spring.datasource.username and spring.datasource.password), or"
                            + " forebay.dsql.endpoint for Aurora DSQL. If it is in a profile, activate that.",
                    null);
        }
        return pool;
    }

    // ---- why it did not start

    private static StartFailure notStarted(SQLException error) {
        Throwable open = error.getCause() == null ? error : error.getCause();
        return new StartFailure(
                "The pool could not open a single connection:\n\n    " + open.getMessage(),
                action(open) + "\nTo start without the database and go on trying, set forebay.fail-fast=false.",
                error);
    }

    private static String action(Throwable open) {
        String state = ErrorMeaning.stateOf(open);
        if (hasCause(open, "dev.forebay.dsql.TokenException")) {
            return "Check the AWS credentials of this process (AWS_PROFILE, AWS_ACCESS_KEY_ID, the role of the task) and"
                    + " forebay.dsql.region.";
        }
        // Aurora DSQL refuses a token as it refuses a connection.
        if (state.startsWith("28") || String.valueOf(open.getMessage()).contains("access denied")) {
            return "Check the user and the password (spring.datasource.username, spring.datasource.password). For Aurora"
                    + " DSQL, check the AWS credentials, forebay.dsql.user, that the IAM identity may connect as that"
                    + " user, and forebay.dsql.region.";
        }
        if (hasCause(open, "javax.net.ssl.SSLException") || hasCause(open, "java.security.GeneralSecurityException")) {
            return "Check that the certificate of the server is trusted here: forebay.dsql.ca-file for Aurora DSQL, else"
                    + " what the driver takes in spring.datasource.url.";
        }
        return switch (state) {
            case "3D000" -> "Check the name of the database in spring.datasource.url.";
            case "53300", "53400" ->
                "The server takes no more connections, or not so fast: lower forebay.max-open or"
                        + " forebay.connection-rate-limit.";
            default ->
                "Check that the server runs and can be reached from here under the host and port of"
                        + " spring.datasource.url or forebay.dsql.endpoint.";
        };
    }

    /** Returns whether a cause is of {@code type}, by name, because not every class is on the class path. */
    private static boolean hasCause(Throwable error, String type) {
        for (Throwable one : Causes.of(error)) {
            for (Class<?> is = one.getClass(); is != null; is = is.getSuperclass()) {
                if (is.getName().equals(type)) {
                    return true;
                }
            }
        }
        return false;
    }
}
