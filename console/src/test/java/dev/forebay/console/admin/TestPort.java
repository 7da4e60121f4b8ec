// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.Secret;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.UserMapping;
import dev.forebay.registry.jdbc.JdbcRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A port on a registry with two servers that nobody connects to. */
final class TestPort implements AutoCloseable {

    static final String USER = "admin";
    static final String PASSWORD = "correct horse";

    /** What is never to be seen anywhere. */
    static final String SECRET = "hunter2";

    final JdbcRegistry registry = JdbcRegistry.builder().build();
    final List<Line> audit = new CopyOnWriteArrayList<>();
    final List<AdminStatement> performed = new CopyOnWriteArrayList<>();
    final AdminPort port;

    /** A line of the audit. */
    record Line(String user, String statement, String sqlState) {}

    TestPort() throws Exception {
        this((statement, user) -> Answer.done("DONE"), builder -> {});
    }

    TestPort(Administration administration, Consumer<AdminPort.Builder> settings) throws Exception {
        registry.register(server("legacy_pg", DatabaseType.POSTGRESQL, "db.example.com"));
        registry.register(server("prod_mysql", DatabaseType.MYSQL, "my.example.com"));
        registry.map(
                "legacy_pg",
                new UserMapping(
                        UserMapping.PUBLIC,
                        "app",
                        UserMapping.Auth.PASSWORD,
                        Secret.of(SECRET),
                        Map.of("sslpassword", SECRET)));
        AdminPort.Builder builder = AdminPort.builder(
                        registry,
                        new Administration() {
                            @Override
                            public Answer perform(AdminStatement statement, String user) throws SQLException {
                                performed.add(statement);
                                return administration.perform(statement, user);
                            }

                            @Override
                            public List<Answer.Column> columns(AdminStatement statement) {
                                return administration.columns(statement);
                            }
                        },
                        USER,
                        PASSWORD.toCharArray())
                .audit((user, address, statement, sqlState, took) -> audit.add(new Line(user, statement, sqlState)));
        settings.accept(builder);
        port = builder.start();
    }

    static ServerDefinition server(String name, DatabaseType type, String host) throws RegistryException {
        return ServerDefinition.builder(name, type)
                .option("host", host)
                .option("dbname", "production")
                .option("enable_health_check", "false")
                .option(type == DatabaseType.POSTGRESQL ? "ssl_key" : "ssl_cert", "/keys/" + SECRET + ".p12")
                .option("driver.sslpassword", SECRET)
                .build();
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:" + port.port() + "/" + AdminPort.DATABASE;
    }

    Connection connect(String... more) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", USER);
        properties.setProperty("password", PASSWORD);
        for (int i = 0; i < more.length; i += 2) {
            properties.setProperty(more[i], more[i + 1]);
        }
        return DriverManager.getConnection(url(), properties);
    }

    /** Waits for what happens on other threads. */
    static void await(java.util.function.BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("it did not happen");
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        port.close();
        registry.close();
    }
}
