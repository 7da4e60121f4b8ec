// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.driver;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A driver for pools that want a class and a URL: the URL names a {@link Server}. Thread-safe.
 */
public final class BenchDriver implements Driver {

    private static final String PREFIX = "jdbc:bench:";
    private static final Map<String, Server> SERVERS = new ConcurrentHashMap<>();
    private static final AtomicInteger NAMES = new AtomicInteger();

    /** Makes {@code server} reachable and returns its URL. */
    public static String serve(Server server) {
        String url = PREFIX + NAMES.incrementAndGet();
        SERVERS.put(url, server);
        return url;
    }

    @Override
    public @Nullable Connection connect(String url, Properties info) throws SQLException {
        Server server = SERVERS.get(url);
        return server == null ? null : server.connect();
    }

    @Override
    public boolean acceptsURL(String url) {
        return SERVERS.containsKey(url);
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
        return Logger.getLogger("dev.forebay.bench");
    }
}
