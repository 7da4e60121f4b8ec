// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import dev.forebay.testkit.PlainDataSource;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A driver that notes every call made on it, fails where it is told to, and has no database behind it. */
final class FakeDatabase extends PlainDataSource {

    /** Every call but close, on connections ({@code c1}), statements, results and metadata, in order. */
    final List<String> calls = Collections.synchronizedList(new ArrayList<>());

    final List<Link> links = Collections.synchronizedList(new ArrayList<>());

    /** By method name: what it throws from now on, wherever it is called. */
    final Map<String, Exception> failures = new ConcurrentHashMap<>();

    /** By method name: what is done first, wherever it is called. */
    final Map<String, Callable<Void>> before = new ConcurrentHashMap<>();

    /** By getter: what a new connection answers. */
    final Map<String, Object> defaults = new HashMap<>(Map.of(
            "getAutoCommit",
            true,
            "getTransactionIsolation",
            Connection.TRANSACTION_READ_COMMITTED,
            "getSchema",
            "public",
            "getCatalog",
            "db",
            "getHoldability",
            ResultSet.HOLD_CURSORS_OVER_COMMIT,
            "getTypeMap",
            Map.of()));

    boolean supportsSharding;

    private final AtomicInteger numbers = new AtomicInteger();

    /** What only this driver has. */
    interface FakeLink extends Connection {
        Link link();
    }

    @Override
    public Connection getConnection() throws SQLException {
        fail("getConnection");
        return new Link(numbers.incrementAndGet()).connection;
    }

    private void fail(String method) throws SQLException {
        Exception failure = failures.get(method);
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure != null) {
            failure.setStackTrace(new Throwable().getStackTrace());
            throw (SQLException) failure;
        }
    }

    /** As {@link #take}, without the bounds on how long the driver waits for an answer. */
    List<String> takeUnbounded() {
        return take().stream().filter(call -> !call.contains("NetworkTimeout(")).toList();
    }

    /** The calls made since the list was last taken. */
    List<String> take() {
        List<String> taken = List.copyOf(calls);
        calls.clear();
        return taken;
    }

    static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(FakeDatabase.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** One connection, as seen from the database. */
    final class Link implements InvocationHandler {
        final String name;
        final FakeLink connection = proxy(FakeLink.class, this);
        final Map<String, Object> state = new HashMap<>(defaults);
        final Properties clientInfo = new Properties();
        volatile boolean closed;
        volatile boolean aborted;
        volatile boolean valid = true;
        private final AtomicInteger parts = new AtomicInteger();

        Link(int number) {
            this.name = "c" + number;
            links.add(this);
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            String called = method.getName();
            if (called.equals("link")) {
                return this;
            }
            if (method.getDeclaringClass() == Object.class) {
                return switch (called) {
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> "the driver's " + name + " with password=hunter2";
                };
            }
            note(name, method, arguments);
            Callable<Void> first = before.get(called);
            if (first != null) {
                first.call();
            }
            fail(called);
            return answer(method, arguments);
        }

        private Object answer(Method method, Object[] arguments) throws Throwable {
            String called = method.getName();
            Class<?> type = method.getReturnType();
            if (Statement.class.isAssignableFrom(type)) {
                return new Part(this, type, name + ".s" + parts.incrementAndGet(), null).proxy;
            }
            if (type == DatabaseMetaData.class) {
                return new Part(this, type, name + ".m", null).proxy;
            }
            return switch (called) {
                case "close" -> {
                    closed = true;
                    yield null;
                }
                case "abort" -> {
                    aborted = true;
                    yield null;
                }
                case "isClosed" -> closed;
                case "isValid" -> valid;
                case "getClientInfo" -> arguments == null ? clientInfo : clientInfo.getProperty((String) arguments[0]);
                case "setClientInfo" -> {
                    setClientInfo(arguments);
                    yield null;
                }
                case "unwrap" -> throw new SQLException("not a wrapper");
                default -> settingOrZero(method, arguments);
            };
        }

        private Object settingOrZero(Method method, Object[] arguments) throws SQLException {
            String called = method.getName();
            if (called.contains("ShardingKey") && !supportsSharding) {
                throw new SQLFeatureNotSupportedException("no sharding", "0A000");
            }
            if (called.startsWith("set") && arguments != null && !called.equals("setSavepoint")) {
                String getter = called.equals("setReadOnly") ? "isReadOnly" : "get" + called.substring(3);
                state.put(getter, arguments[arguments.length - 1]);
                return zero(method.getReturnType());
            }
            return state.containsKey(called) ? state.get(called) : zero(method.getReturnType());
        }

        private void setClientInfo(Object[] arguments) {
            if (arguments.length == 1) {
                clientInfo.clear();
                clientInfo.putAll((Properties) arguments[0]);
            } else {
                clientInfo.put(arguments[0], arguments[1]);
            }
        }
    }

    private void note(String name, Method method, Object[] arguments) {
        if (method.getName().equals("close") && method.getDeclaringClass() == Connection.class) {
            return;
        }
        String given = arguments == null ? "" : Arrays.deepToString(arguments);
        given = given.isEmpty() ? "" : given.substring(1, given.length() - 1).replaceAll("[\\w.$/]+Lambda[^,]*", "λ");
        calls.add(name + "." + method.getName() + "(" + given + ")");
    }

    /** A statement, a result or metadata. */
    private final class Part implements InvocationHandler {
        private final Link link;
        private final String name;
        private final Part owner;
        final Object proxy;
        private boolean closed;
        private boolean closesOnCompletion;

        Part(Link link, Class<?> type, String name, Part owner) {
            this.link = link;
            this.name = name;
            this.owner = owner;
            this.proxy = proxy(type, this);
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (method.getDeclaringClass() == Object.class) {
                try {
                    return method.invoke(this, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            }
            note(name, method, arguments);
            fail(method.getName());
            return switch (method.getName()) {
                case "close" -> {
                    close();
                    yield null;
                }
                case "closeOnCompletion" -> {
                    closesOnCompletion = true;
                    yield null;
                }
                case "isClosed" -> closed;
                case "getConnection" -> link.connection;
                case "getStatement" -> owner.proxy;
                default ->
                    method.getReturnType() == ResultSet.class
                            ? new Part(link, ResultSet.class, name + ".r", this).proxy
                            : zero(method.getReturnType());
            };
        }

        private void close() {
            closed = true;
            if (owner != null && owner.closesOnCompletion) {
                owner.closed = true;
            }
        }
    }

    private static Object zero(Class<?> type) {
        if (type == boolean.class) {
            return false;
        }
        if (type == int.class) {
            return 0;
        }
        if (type == long.class) {
            return 0L;
        }
        if (type == short.class || type == byte.class) {
            return type == short.class ? (Object) (short) 0 : (Object) (byte) 0;
        }
        if (type == float.class || type == double.class) {
            return type == float.class ? (Object) 0f : (Object) 0d;
        }
        return null;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        calls.add("connect as " + user + " with " + password);
        return getConnection();
    }
}
