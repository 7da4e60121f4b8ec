// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.console.state.Definitions;
import dev.forebay.registry.jdbc.JdbcRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeclaredServersTest {

    private static final String TWO = """
            servers:
              pg:
                type: postgresql
                options:
                  host: db.example.com
                  dbname: production
                  max_connections: 20
                  enable_health_check: false
                users:
                  alice: {user: app, password: hunter2}
                  PUBLIC:
                    user: guest
                    password: $GUEST
              my:
                type: mariadb
                owner: bob
                options: {host: my.example.com, dbname: shop, enable_health_check: false}
            """;

    @TempDir
    Path directory;

    private JdbcRegistry registry;
    private Definitions definitions;

    @BeforeEach
    void start() throws Exception {
        registry = JdbcRegistry.builder()
                .drivers(type -> {
                    throw new SQLException("no driver in this test", "08001");
                })
                .build();
        definitions = Definitions.open(
                directory, Map.of(), registry, InstantSource.fixed(Instant.parse("2026-11-16T10:00:00Z")));
    }

    @AfterEach
    void end() throws Exception {
        registry.close();
        definitions.close();
    }

    private List<String> apply(String text) throws SQLException {
        return DeclaredServers.parse("servers.yaml", text).apply(definitions, "root");
    }

    @Test
    void whatIsMissingIsMadeAndDoingItAgainDoesNothing() throws Exception {
        assertEquals(
                List.of(
                        "created server my",
                        "created server pg",
                        "created user mapping for PUBLIC on pg",
                        "created user mapping for alice on pg"),
                apply(TWO));
        assertEquals("root", registry.server("pg").owner().orElseThrow());
        assertEquals("bob", registry.server("my").owner().orElseThrow());
        byte[] bytes = Files.readAllBytes(directory.resolve("definitions.yaml"));
        assertEquals(List.of(), apply(TWO));
        assertArrayEquals(bytes, Files.readAllBytes(directory.resolve("definitions.yaml")), "it was not even written");
    }

    @Test
    void onlyWhatDiffersIsAltered() throws Exception {
        apply(TWO);
        assertEquals(
                List.of("altered server pg", "altered user mapping for alice on pg"),
                apply(TWO.replace("max_connections: 20", "max_connections: 30").replace("hunter2", "hunter3")));
        assertEquals("30", registry.server("pg").options().get("max_connections"));
    }

    @Test
    void whatIsNotDeclaredStaysUnlessItIsToBePruned() throws Exception {
        apply(TWO);
        String less = """
                servers:
                  pg:
                    type: postgresql
                    options: {host: db.example.com, dbname: production, max_connections: 20, enable_health_check: false}
                """;
        assertEquals(List.of(), apply(less));
        assertEquals(
                List.of(
                        "dropped server my",
                        "dropped user mapping for PUBLIC on pg",
                        "dropped user mapping for alice on pg"),
                apply(less + "prune: true\n"));
        assertEquals(1, registry.servers().size());
        assertTrue(registry.mappings("pg").isEmpty());
    }

    @Test
    void aTypeIsNotChanged() throws Exception {
        apply(TWO);
        SQLException error = assertThrows(SQLException.class, () -> apply(TWO.replace("mariadb", "mysql")));
        assertTrue(error.getMessage().contains("drop it first"), error.getMessage());
    }

    @Test
    void everythingThatIsWrongIsSaidWithItsPlaceAndNothingIsDone() throws Exception {
        String wrong = TWO.replace("max_connections", "max_conections")
                .replace("mariadb", "mariadbb")
                .replace("password: hunter2", "pasword: hunter2")
                .replace("    users:", "    usres: {}\n    users:");
        IllegalArgumentException error = assertThrows(IllegalArgumentException.class, () -> apply(wrong));
        String message = error.getMessage();
        assertEquals(4, message.lines().count(), message);
        assertTrue(
                message.contains(
                        "servers.yaml:7:7: server pg: there is no option 'max_conections'; did you mean max_connections?"),
                message);
        assertTrue(message.contains("servers.yaml:9:5: server pg: unknown key 'usres'; did you mean users?"), message);
        assertTrue(message.contains("servers.yaml:11:26: user alice: "), message);
        assertTrue(message.contains("did you mean password?"), message);
        assertTrue(
                message.contains("servers.yaml:16:5: server my: there is no such type; did you mean mariadb?"),
                message);
        assertFalse(message.contains("hunter2"), message);
        assertTrue(definitions.servers().isEmpty());
    }

    @Test
    void aValueThatCannotBeUsedIsPlacedAtItsOption() {
        IllegalArgumentException error = assertThrows(
                IllegalArgumentException.class,
                () -> apply(TWO.replace("max_connections: 20", "max_connections: many")));
        assertTrue(
                error.getMessage().startsWith("servers.yaml:7:7: server pg: max_connections=many: not a whole number"),
                error.getMessage());
        IllegalArgumentException misleading = assertThrows(
                IllegalArgumentException.class, () -> apply(TWO.replace("max_connections: 20", "ssl_mode: host")));
        assertTrue(
                misleading
                        .getMessage()
                        .startsWith("servers.yaml:7:7: server pg: ssl_mode=host: unknown; valid is one of"),
                misleading.getMessage());
        IllegalArgumentException missing = assertThrows(
                IllegalArgumentException.class, () -> apply(TWO.replace("host: db.example.com", "port: 1")));
        assertTrue(
                missing.getMessage().startsWith("servers.yaml:5:7: server pg: server pg needs"), missing.getMessage());
    }

    @Test
    void whatIsNotYamlIsSaid() {
        assertThrows(IllegalArgumentException.class, () -> apply("servers: ["));
        assertThrows(IllegalArgumentException.class, () -> apply("- a\n- b\n"));
        assertThrows(IllegalArgumentException.class, () -> apply("servers: {pg: 3}"));
        assertThrows(IllegalArgumentException.class, () -> apply("prune: perhaps"));
    }
}
