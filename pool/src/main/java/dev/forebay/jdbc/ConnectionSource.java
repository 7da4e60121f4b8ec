// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import dev.forebay.spi.PasswordSupplier;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A source of new connections: a {@link DataSource} or a URL, with a password for each connection if need be. Immutable
 * and thread-safe. Neither its text nor its errors hold a password.
 */
public final class ConnectionSource {

    private final String description;
    private final Secrets secrets;
    private final @Nullable PasswordSupplier passwords;
    private final Opener opener;
    private final boolean readsLimited;

    private ConnectionSource(String description, Secrets secrets, @Nullable PasswordSupplier passwords, Opener opener) {
        this(description, secrets, passwords, opener, false);
    }

    private ConnectionSource(
            String description,
            Secrets secrets,
            @Nullable PasswordSupplier passwords,
            Opener opener,
            boolean readsLimited) {
        this.readsLimited = readsLimited;
        this.description = description;
        this.secrets = secrets;
        this.passwords = passwords;
        this.opener = opener;
    }

    /** Connections of {@code dataSource}, with the credentials it knows. */
    public static ConnectionSource of(DataSource dataSource) {
        return new ConnectionSource(
                dataSource.getClass().getName(), Secrets.NONE, null, password -> dataSource.getConnection());
    }

    /** Connections of {@code dataSource} for {@code user}, each with a password of its own. */
    public static ConnectionSource of(DataSource dataSource, String user, PasswordSupplier passwords) {
        return new ConnectionSource(
                dataSource.getClass().getName() + " as " + user,
                Secrets.NONE,
                passwords,
                password -> dataSource.getConnection(user, password));
    }

    /**
     * Connections of {@code dataSource} for {@code user}, each with a password of its own if one is available.
     *
     * @param properties the driver properties of the data source; a secret among them is kept out of errors
     */
    public static ConnectionSource of(
            DataSource dataSource, String user, @Nullable PasswordSupplier passwords, Properties properties) {
        return new ConnectionSource(
                dataSource + " as " + user,
                Secrets.NONE.andIn(properties),
                passwords,
                password -> password == null ? dataSource.getConnection() : dataSource.getConnection(user, password));
    }

    /** Connections of the driver for {@code url}, with {@code properties} as they are now. */
    public static ConnectionSource of(String url, Properties properties) {
        return of(url, properties, null);
    }

    /** Connections of the driver for {@code url}, each with a password of its own beside {@code properties}. */
    public static ConnectionSource of(String url, Properties properties, @Nullable PasswordSupplier passwords) {
        return of(url, properties, passwords, Duration.ZERO);
    }

    /** As above, each open bounded by {@code openTimeout} where the driver is known and nothing says otherwise. */
    public static ConnectionSource of(
            String url, Properties properties, @Nullable PasswordSupplier passwords, Duration openTimeout) {
        Properties kept = copy(properties);
        Secrets secrets = Secrets.in(url).andIn(kept);
        OpenTimeouts timeouts = OpenTimeouts.of(url);
        boolean readsLimited = timeouts != null && timeouts.limit(url, kept, openTimeout);
        return new ConnectionSource(
                Secrets.redactUrl(url),
                secrets,
                passwords,
                password -> {
                    Properties given = copy(kept);
                    if (password != null) {
                        given.setProperty("password", password);
                    }
                    return DriverManager.getConnection(url, given);
                },
                readsLimited);
    }

    /** Returns whether its connections come with a limit on reads that is meant for opening alone. */
    boolean limitsReads() {
        return readsLimited;
    }

    private static Properties copy(Properties properties) {
        Properties copy = new Properties();
        properties.stringPropertyNames().forEach(key -> copy.setProperty(key, properties.getProperty(key)));
        return copy;
    }

    /** Opens a connection, blocking until it is open. */
    public Connection open() throws SQLException {
        String password = passwords == null ? null : password(passwords);
        try {
            Connection connection = opener.open(password);
            if (connection == null) {
                throw new SQLException(description + " returned no connection", "08001");
            }
            return connection;
        } catch (SQLException | RuntimeException e) {
            throw secrets.and(password).scrub(e);
        }
    }

    private static String password(PasswordSupplier passwords) throws NoPassword {
        String password;
        try {
            password = passwords.password();
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new NoPassword("the password could not be obtained: " + e.getMessage(), e);
        }
        if (password == null) {
            throw new NoPassword("the password could not be obtained: the supplier returned null", null);
        }
        return password;
    }

    /** Names the source without its secrets. */
    @Override
    public String toString() {
        return description;
    }

    private interface Opener {
        @Nullable
        Connection open(@Nullable String password) throws SQLException;
    }

    /** Reports that no password was available. */
    static final class NoPassword extends SQLException {
        private static final long serialVersionUID = 1;

        NoPassword(String message, @Nullable Throwable cause) {
            super(message, "28000", cause);
        }
    }
}
