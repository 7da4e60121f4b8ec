// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.Wiring;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Finds the driver of a type when it is needed. Thread-safe. */
@FunctionalInterface
public interface Drivers {

    /**
     * The driver for {@code type}.
     *
     * @throws SQLException if there is none; {@link #missing} makes the error that names the artifact
     */
    Driver driver(DatabaseType type) throws SQLException;

    /** The drivers that announce themselves on the class path, or whose class can be loaded by name. */
    static Drivers onClassPath() {
        return type -> {
            ClassLoader context = Thread.currentThread().getContextClassLoader();
            return find(type, context == null ? Drivers.class.getClassLoader() : context);
        };
    }

    /** As {@link #onClassPath}, for the classes that {@code loader} finds. */
    static Drivers of(ClassLoader loader) {
        return type -> find(type, loader);
    }

    private static Driver find(DatabaseType type, ClassLoader loader) throws SQLException {
        Driver announced = announced(type, loader);
        return announced == null ? byName(type, loader) : announced;
    }

    private static @Nullable Driver announced(DatabaseType type, ClassLoader loader) {
        try {
            for (Driver driver : ServiceLoader.load(Driver.class, loader)) {
                if (driver.getClass().getName().equals(type.driverClass())) {
                    return driver;
                }
            }
        } catch (ServiceConfigurationError e) { // some other driver is broken: ours may still be loaded by name
            LoggerFactory.getLogger(Drivers.class).debug("a driver on the class path cannot be loaded", e);
        }
        return null;
    }

    private static Driver byName(DatabaseType type, ClassLoader loader) throws SQLException {
        try {
            return Class.forName(type.driverClass(), true, loader)
                    .asSubclass(Driver.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | LinkageError | ClassCastException e) {
            throw missing(type, e);
        }
    }

    /** The error that names the artifact to add. */
    static SQLException missing(DatabaseType type, @Nullable Throwable cause) {
        return new SQLException(
                "no driver for " + type.label() + ": add " + type.artifact()
                        + " to the class path, or with the console to its --driver-path (it holds " + type.driverClass()
                        + ")",
                "08001",
                Wiring.PART_MISSING,
                cause);
    }
}
