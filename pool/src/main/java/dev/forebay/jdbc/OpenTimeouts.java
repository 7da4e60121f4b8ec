// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The driver properties that bound an open: without them a driver waits for a silent server for ever, on a thread that
 * nothing can end. Stateless.
 *
 * <p>The read timeout is that of opening only, and is lifted once the connection is open. A login timeout is not set
 * where the driver keeps it by leaving the connect to a thread that is not counted, as PostgreSQL's does.
 */
enum OpenTimeouts {
    POSTGRESQL("jdbc:postgresql:", "connectTimeout", TimeUnit.SECONDS, "socketTimeout", TimeUnit.SECONDS),
    MYSQL("jdbc:mysql:", "connectTimeout", TimeUnit.MILLISECONDS, "socketTimeout", TimeUnit.MILLISECONDS),
    MARIADB("jdbc:mariadb:", "connectTimeout", TimeUnit.MILLISECONDS, "socketTimeout", TimeUnit.MILLISECONDS),
    SQL_SERVER("jdbc:sqlserver:", "loginTimeout", TimeUnit.SECONDS, "socketTimeout", TimeUnit.MILLISECONDS),
    FIREBIRD("jdbc:firebird", "connectTimeout", TimeUnit.SECONDS, "soTimeout", TimeUnit.MILLISECONDS);

    private final String prefix;
    private final String connect;
    private final TimeUnit connectUnit;
    private final String read;
    private final TimeUnit readUnit;

    OpenTimeouts(String prefix, String connect, TimeUnit connectUnit, String read, TimeUnit readUnit) {
        this.prefix = prefix;
        this.connect = connect;
        this.connectUnit = connectUnit;
        this.read = read;
        this.readUnit = readUnit;
    }

    /** Returns the properties of the driver for {@code url}, null if the driver is not known. */
    static @Nullable OpenTimeouts of(String url) {
        for (OpenTimeouts known : values()) {
            if (url.startsWith(known.prefix)) {
                return known;
            }
        }
        return null;
    }

    /** Bounds opens by {@code timeout} where {@code url} and {@code properties} do not; returns whether reads are bounded. */
    boolean limit(String url, Properties properties, Duration timeout) {
        if (timeout.isZero()) {
            return false;
        }
        put(connect, connectUnit, url, properties, timeout);
        return put(read, readUnit, url, properties, timeout);
    }

    private static boolean put(String name, TimeUnit unit, String url, Properties properties, Duration timeout) {
        boolean given = properties.containsKey(name) || isIn(url, name);
        if (!given) {
            long rounded = unit.convert(timeout.plusNanos(unit.toNanos(1) - 1));
            properties.setProperty(name, Long.toString(Math.max(1, Math.min(rounded, Integer.MAX_VALUE))));
        }
        return !given;
    }

    private static boolean isIn(String url, String name) {
        String lower = url.toLowerCase(Locale.ROOT);
        return List.of("?", "&", ";").stream()
                .anyMatch(before -> lower.contains(before + name.toLowerCase(Locale.ROOT) + "="));
    }
}
