// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import com.mysql.cj.jdbc.JdbcConnection;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.mariadb.jdbc.Configuration;
import org.mariadb.jdbc.HostAddress;
import org.mariadb.jdbc.client.Client;
import org.mariadb.jdbc.client.Context;
import org.mariadb.jdbc.client.ServerVersion;
import org.mariadb.jdbc.client.util.ClosableLock;
import org.mariadb.jdbc.export.ExceptionFactory;

/**
 * A driver with no database behind it, in the place of those that have none here: it notes URL and properties, keeps count
 * of its connections and of the statements, and does for a moment what a test wants.
 */
final class StubDriver implements Driver {

    final List<Link> links = new CopyOnWriteArrayList<>();
    final AtomicInteger open = new AtomicInteger();
    final AtomicInteger mostOpen = new AtomicInteger();

    /** A user whose connections do not count for {@link #mostOpen}: a probe's, which is beside the cap. */
    volatile String prober = "";

    private final AtomicInteger users = new AtomicInteger();

    /** By user: his password; whoever is not in it is let in. */
    final Map<String, String> passwords = new ConcurrentHashMap<>();

    /** Run before a connect. */
    volatile Action onConnect = given -> {};

    /** Run before each statement, with its text. */
    volatile Action onExecute = sql -> {};

    /** What a call may do. */
    interface Action {
        void run(String about) throws SQLException;
    }

    @Override
    public Connection connect(String url, Properties properties) throws SQLException {
        onConnect.run(url);
        String user = properties.getProperty("user");
        String password = properties.getProperty("password");
        if (passwords.containsKey(user) && !passwords.get(user).equals(password)) {
            throw new SQLException("user " + user + " with password " + password + " is rejected", "28000");
        }
        Link link = new Link(url, (Properties) properties.clone());
        links.add(link);
        open.incrementAndGet();
        if (!prober.equals(user)) {
            mostOpen.accumulateAndGet(users.incrementAndGet(), Math::max);
        }
        return link.connection;
    }

    /** One connection as the driver sees it. */
    final class Link implements InvocationHandler {
        final String url;
        final Properties properties;
        final Connection connection = proxy(JdbcConnection.class, this);
        final List<String> calls = new CopyOnWriteArrayList<>();
        volatile boolean closed;
        volatile boolean autoCommit = true;
        volatile boolean valid = true;

        Link(String url, Properties properties) {
            this.url = url;
            this.properties = properties;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            switch (method.getName()) {
                case "close", "abort" -> {
                    if (!closed) {
                        closed = true;
                        if (!prober.equals(properties.getProperty("user"))) {
                            users.decrementAndGet();
                        }
                        open.decrementAndGet();
                    }
                    return null;
                }
                case "createStatement", "prepareStatement" -> {
                    String prepared = arguments == null ? "" : String.valueOf(arguments[0]);
                    return proxy(java.sql.PreparedStatement.class, (p, called, given) -> call(prepared, called, given));
                }
                case "getMetaData" -> {
                    return proxy(DatabaseMetaData.class, (p, called, given) -> zero(called.getReturnType()));
                }
                case "getAutoCommit" -> {
                    return autoCommit;
                }
                case "setAutoCommit" -> {
                    calls.add("setAutoCommit " + arguments[0]);
                    autoCommit = (boolean) arguments[0];
                    return null;
                }
                case "rollback", "commit", "resetServerState" -> {
                    onExecute.run(method.getName());
                    calls.add(method.getName());
                    return null;
                }
                case "isValid" -> {
                    return valid && !closed;
                }
                case "isClosed" -> {
                    return closed;
                }
                case "unwrap" -> {
                    return arguments[0] == org.mariadb.jdbc.Connection.class ? ofMariaDb() : proxy;
                }
                case "toString" -> {
                    return "stub connection";
                }
                case "hashCode" -> {
                    return System.identityHashCode(this);
                }
                case "equals" -> {
                    return proxy == arguments[0];
                }
                default -> {
                    return zero(method.getReturnType());
                }
            }
        }

        /** MariaDB's driver has a class where MySQL's has an interface: its own code, above a client that goes nowhere. */
        private Connection ofMariaDb() throws SQLException {
            Configuration configuration = Configuration.parse(url, properties);
            ExceptionFactory errors = new ExceptionFactory(configuration, HostAddress.from("h", 3306));
            ServerVersion version = proxy(
                    ServerVersion.class,
                    (p, called, given) ->
                            called.getReturnType() == boolean.class ? Boolean.TRUE : zero(called.getReturnType()));
            Context context = proxy(
                    Context.class,
                    (p, called, given) ->
                            called.getName().equals("getVersion") ? version : zero(called.getReturnType()));
            Client client = proxy(Client.class, (p, called, given) -> {
                switch (called.getName()) {
                    case "getExceptionFactory" -> {
                        return errors;
                    }
                    case "getContext" -> {
                        return context;
                    }
                    case "execute" -> {
                        String message = given[0].getClass().getSimpleName();
                        onExecute.run(message);
                        calls.add(message);
                        return List.of();
                    }
                    default -> {
                        return zero(called.getReturnType());
                    }
                }
            });
            return new org.mariadb.jdbc.Connection(configuration, new ClosableLock(), client);
        }

        private Object call(String prepared, Method called, Object[] given) throws SQLException {
            if (called.getName().equals("setQueryTimeout")) {
                calls.add("setQueryTimeout " + given[0]);
                return null;
            }
            if (called.getName().startsWith("execute")) {
                String sql = given != null && given[0] instanceof String text ? text : prepared;
                onExecute.run(sql);
                calls.add(sql);
            }
            return called.getReturnType() == ResultSet.class
                    ? proxy(ResultSet.class, (p, method, arguments) -> zero(method.getReturnType()))
                    : zero(called.getReturnType());
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(StubDriver.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Object zero(Class<?> type) {
        if (type == boolean.class) {
            return false;
        }
        if (type == int.class) {
            return 0;
        }
        return type == long.class ? (Object) 0L : null;
    }

    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public boolean acceptsURL(String url) {
        return true;
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }
}
