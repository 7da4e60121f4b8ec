// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.junit;

import dev.forebay.engine.internal.GoDuration;
import dev.forebay.local.LocalDsql;
import dev.forebay.model.ClusterSettings;
import dev.forebay.model.Fault;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/** The work of {@link WithLocalDsql} on a test class. Thread-safe. */
final class LocalDsqlExtension implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(LocalDsqlExtension.class);

    /** Held while a server starts, so that classes which run side by side start one. */
    private static final ReentrantLock starting = new ReentrantLock();

    LocalDsqlExtension() {}

    @Override
    public void beforeAll(ExtensionContext context) {
        server(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        for (Object instance : context.getRequiredTestInstances().getAllInstances()) {
            for (Class<?> type = instance.getClass(); type != null; type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (isInjected(field.getType())
                            && (field.getModifiers() & (Modifier.STATIC | Modifier.FINAL)) == 0) {
                        field.setAccessible(true);
                        field.set(instance, resolve(field.getType(), context));
                    }
                }
            }
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws SQLException {
        LocalDsql server = server(context);
        server.inject(new Fault.Clear());
        ClusterSettings settings = settings(context);
        if (!server.settings().equals(settings)) {
            server.reconfigure(settings);
        }
        TestSchema schema = store(context).remove(TestSchema.class, TestSchema.class);
        if (schema != null) {
            schema.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return isInjected(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        try {
            return resolve(parameter.getParameter().getType(), context);
        } catch (SQLException e) {
            throw new ParameterResolutionException("no schema could be made for the test: " + e.getMessage(), e);
        }
    }

    private static boolean isInjected(Class<?> type) {
        return type == DataSource.class || type == LocalDsql.class;
    }

    private static Object resolve(Class<?> type, ExtensionContext context) throws SQLException {
        LocalDsql server = server(context);
        if (type == LocalDsql.class) {
            return server;
        }
        if (context.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException("a DataSource belongs to one test, with its schema:"
                    + " take it as a parameter of a test or of @BeforeEach, or as a field");
        }
        TestSchema schema = store(context).get(TestSchema.class, TestSchema.class);
        if (schema == null) {
            schema = TestSchema.create(server);
            store(context).put(TestSchema.class, schema);
        }
        return schema.dataSource();
    }

    private static ExtensionContext.Store store(ExtensionContext context) {
        return context.getStore(NAMESPACE);
    }

    // ---- the server

    /** The server with the numbers of this class; the store of the whole run closes it. */
    private static LocalDsql server(ExtensionContext context) {
        ClusterSettings settings = settings(context);
        ExtensionContext.Store store = store(context.getRoot());
        starting.lock();
        try {
            LocalDsql server = store.get(settings, LocalDsql.class);
            if (server == null) {
                server = start(LocalDsql.builder().settings(settings), context.getRequiredTestClass());
                store.put(settings, server);
            }
            return server;
        } finally {
            starting.unlock();
        }
    }

    static LocalDsql start(LocalDsql.Builder builder, Class<?> test) {
        try {
            return builder.start();
        } catch (IOException e) {
            throw new ExtensionConfigurationException(
                    "the local DSQL for " + test.getName() + " did not start: " + e.getMessage(), e);
        }
    }

    private static ClusterSettings settings(ExtensionContext context) {
        Class<?> test = context.getRequiredTestClass();
        WithLocalDsql asked = asked(test);
        try {
            return ClusterSettings.builder()
                    .connectsPerSecond(asked.rate())
                    .connectBurst(asked.burst())
                    .mostSessions(asked.maxConnections())
                    .lifetime(duration("lifetime", asked.lifetime()))
                    .transactionGrace(duration("grace", asked.grace()))
                    .build();
        } catch (IllegalArgumentException e) {
            throw new ExtensionConfigurationException(
                    "@WithLocalDsql of " + test.getName() + " cannot be met: " + e.getMessage(), e);
        }
    }

    private static Duration duration(String option, String text) {
        try {
            return GoDuration.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(option + ": " + e.getMessage() + ": " + text, e);
        }
    }

    /** The annotation of the class, or of the one around it. */
    private static WithLocalDsql asked(Class<?> test) {
        for (@Nullable Class<?> type = test; type != null; type = type.getEnclosingClass()) {
            WithLocalDsql asked = type.getAnnotation(WithLocalDsql.class);
            if (asked != null) {
                return asked;
            }
        }
        throw new ExtensionConfigurationException(test.getName() + " has no @WithLocalDsql");
    }
}
