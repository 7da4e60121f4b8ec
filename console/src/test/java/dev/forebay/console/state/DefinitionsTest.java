// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.console.state.Definitions.Change;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.UserMapping;
import dev.forebay.registry.jdbc.JdbcRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DefinitionsTest {

    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-11-16T10:00:00.123Z"));

    @TempDir
    Path directory;

    private final List<JdbcRegistry> registries = new ArrayList<>();

    @AfterEach
    void end() {
        registries.forEach(JdbcRegistry::close);
    }

    @Test
    void whatWasDefinedIsThereAtTheNextStart() throws Exception {
        Map<String, KeptServer> before;
        try (Definitions definitions = open()) {
            create(definitions, "one");
            map(definitions, "one", mapping("alice", "hunter2"));
            map(definitions, "one", mapping("bob", "$BOB_PASSWORD"));
            map(definitions, "one", mapping(UserMapping.PUBLIC, "file:/run/secrets/db"));
            before = definitions.servers();
        }
        try (Definitions definitions = open()) {
            assertEquals(before, definitions.servers());
            JdbcRegistry registry = registries.get(1);
            assertEquals(List.of(before.get("one").definition()), registry.servers());
            assertEquals(3, registry.mappings("one").size());
        }
    }

    @Test
    void theFileIsForItsOwnerAndShowsNoPassword() throws Exception {
        try (Definitions definitions = open()) {
            create(definitions, "one");
            map(definitions, "one", mapping("alice", "hunter2"));
            map(definitions, "one", mapping("bob", "$BOB_PASSWORD"));
        }
        String text = Files.readString(file());
        assertFalse(text.contains("hunter2"), text);
        assertFalse(text.contains("opt1on"), text);
        assertTrue(text.contains("$BOB_PASSWORD"), text);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file())));
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("definitions.yaml.1"))));
    }

    @Test
    void theVersionBeforeIsKept() throws Exception {
        try (Definitions definitions = open()) {
            create(definitions, "one");
            byte[] one = Files.readAllBytes(file());
            create(definitions, "two");
            assertArrayEquals(one, Files.readAllBytes(directory.resolve("definitions.yaml.1")));
        }
    }

    /** Every step of the disk, failing before it has done anything and after it has done it. */
    @Test
    void aChangeThatCannotBeWrittenChangesNothing() throws Exception {
        for (boolean late : new boolean[] {false, true}) {
            for (int step = 1; ; step++) {
                FailingDisk disk = new FailingDisk();
                Path place = Files.createTempDirectory(directory, "d");
                try (Definitions definitions = open(place, VaultTest.KEY, disk)) {
                    create(definitions, "one");
                    JdbcRegistry registry = registries.get(registries.size() - 1);
                    byte[] bytes = Files.readAllBytes(place.resolve("definitions.yaml"));
                    disk.failAt(step, late);
                    boolean failed = false;
                    try {
                        create(definitions, "two");
                    } catch (SQLException e) {
                        assertEquals("58030", e.getSQLState());
                        failed = true;
                    }
                    if (!failed) {
                        assertTrue(step > 4, "only " + step + " steps were tried");
                        break;
                    }
                    String where = "step " + step + (late ? " late" : "");
                    assertArrayEquals(bytes, Files.readAllBytes(place.resolve("definitions.yaml")), where);
                    assertEquals(1, registry.servers().size(), where);
                    assertEquals(1, definitions.servers().size(), where);
                    create(definitions, "three"); // and it goes on
                    assertEquals(2, registry.servers().size(), where);
                }
                try (Definitions again = open(place, VaultTest.KEY, Disk.REAL)) {
                    assertEquals(2, again.servers().size());
                }
            }
        }
    }

    @Test
    void theFirstChangeThatCannotBeWrittenLeavesNoFile() throws Exception {
        FailingDisk disk = new FailingDisk();
        try (Definitions definitions = open(directory, VaultTest.KEY, disk)) {
            disk.failAt(3, true); // write, move, sync
            assertThrows(SQLException.class, () -> create(definitions, "one"));
            assertFalse(Files.exists(file()));
            create(definitions, "one");
        }
    }

    @Test
    void aChangeThatTheRegistryRefusesIsNotInTheFile() throws Exception {
        try (Definitions definitions = open()) {
            create(definitions, "one");
            byte[] bytes = Files.readAllBytes(file());
            assertThrows(
                    SQLException.class,
                    () -> definitions.change((servers, now) -> Change.put(servers, server("two", now), registry -> {
                        throw new SQLException("refused", "RD032");
                    })));
            assertArrayEquals(bytes, Files.readAllBytes(file()));
            assertEquals(1, definitions.servers().size());
        }
    }

    @Test
    void whenGoingBackFailsTooNothingCanBeChangedAnyMore() throws Exception {
        FailingDisk disk = new FailingDisk();
        try (Definitions definitions = open(directory, VaultTest.KEY, disk)) {
            create(definitions, "one");
            disk.failFrom(4); // the move to its place, and all after it
            assertThrows(SQLException.class, () -> create(definitions, "two"));
            disk.failFrom(Integer.MAX_VALUE);
            SQLException refused = assertThrows(SQLException.class, () -> create(definitions, "three"));
            assertTrue(refused.getMessage().contains("started anew"), refused.getMessage());
        }
    }

    @Test
    void aWrongKeyIsSaidAndNothingIsLost() throws Exception {
        try (Definitions definitions = open()) {
            create(definitions, "one");
            map(definitions, "one", mapping("alice", "hunter2"));
        }
        byte[] bytes = Files.readAllBytes(file());
        StateException wrong =
                assertThrows(StateException.class, () -> open(directory, VaultTest.OTHER_KEY, Disk.REAL));
        assertTrue(wrong.getMessage().contains("FOREBAY_VAULT_KEY"), wrong.getMessage());
        assertArrayEquals(bytes, Files.readAllBytes(file()));
        open().close();
    }

    @Test
    void aNewKeyInFrontSealsEverythingAnew() throws Exception {
        try (Definitions definitions = open()) {
            create(definitions, "one");
            map(definitions, "one", mapping("alice", "hunter2"));
        }
        open(directory, VaultTest.OTHER_KEY + " " + VaultTest.KEY, Disk.REAL).close();
        try (Definitions definitions = open(directory, VaultTest.OTHER_KEY, Disk.REAL)) {
            assertEquals(
                    SecretText.of("hunter2"),
                    definitions.servers().get("one").mappings().get("alice").password());
        }
    }

    @Test
    void aSecretThatWasMovedToAnotherMappingIsNotOpened() throws Exception {
        try (Definitions definitions = open()) {
            create(definitions, "one");
            map(definitions, "one", mapping("alice", "hunter2"));
        }
        rewriteWithTheKey(text -> text.replace("local_user: alice", "local_user: mallory"));
        StateException moved = assertThrows(StateException.class, this::open);
        assertTrue(
                moved.getMessage().matches("(?s).*definitions.yaml:\\d+:\\d+: .*cannot be opened.*"),
                moved.getMessage());
    }

    @Test
    void aDamagedFileIsLeftAsItIs() throws Exception {
        try (Definitions definitions = open()) {
            create(definitions, "one");
            create(definitions, "two");
        }
        byte[] good = Files.readAllBytes(file());
        for (int length = 0; length < good.length; length += 7) {
            damaged(new String(good, 0, length, StandardCharsets.UTF_8));
        }
        damaged(new String(good, StandardCharsets.UTF_8).replace("port: '5432'", "port: '5433'"));
        Files.write(file(), good);
        open().close();
    }

    private void damaged(String text) throws IOException {
        Files.writeString(file(), text);
        StateException error = assertThrows(StateException.class, this::open, text);
        assertTrue(error.getMessage().startsWith(file() + ":"), error.getMessage());
        assertTrue(error.getMessage().contains("definitions.yaml.1"), error.getMessage());
        assertEquals(text, Files.readString(file()));
    }

    @Test
    void aNewerFormatIsNotTouched() throws Exception {
        try (Definitions definitions = open()) {
            create(definitions, "one");
        }
        rewrite(text -> text.replace("format: 2", "format: 3"));
        byte[] bytes = Files.readAllBytes(file());
        StateException newer = assertThrows(StateException.class, this::open);
        assertTrue(newer.getMessage().contains("format 3"), newer.getMessage());
        assertArrayEquals(bytes, Files.readAllBytes(file()));
    }

    @Test
    void anOlderFormatSaysWhatToDo() throws Exception {
        try (Definitions definitions = open()) {
            create(definitions, "one");
        }
        rewrite(text -> text.substring(0, text.lastIndexOf("# hmac-sha256 ")).replace("format: 2", "format: 1"));
        byte[] bytes = Files.readAllBytes(file());
        StateException older = assertThrows(StateException.class, this::open);
        assertTrue(older.getMessage().contains("move it to another place"), older.getMessage());
        assertTrue(older.getMessage().contains("define its servers again"), older.getMessage());
        assertFalse(older.getMessage().contains("use the Forebay that wrote it"), older.getMessage());
        assertArrayEquals(bytes, Files.readAllBytes(file()));
    }

    /** Finding C7: a writer of the file had the password sent to another host. */
    @Test
    void aHostThatSomebodyElseWroteIsNotConnectedTo() throws Exception {
        try (Definitions definitions = open()) {
            create(definitions, "one");
        }
        rewrite(text -> text.replaceFirst("host: .*", "host: mallory.example.com"));
        StateException changed = assertThrows(StateException.class, this::open);
        assertTrue(changed.getMessage().contains("somebody else changed it"), changed.getMessage());
    }

    @Test
    void aFileWithoutACodeIsNotTaken() throws Exception {
        try (Definitions definitions = open()) {
            create(definitions, "one");
        }
        rewrite(text -> text.substring(0, text.lastIndexOf("# hmac-sha256 ")));
        assertThrows(StateException.class, this::open);
    }

    @Test
    void aMissingFileIsNotAFirstStart() throws Exception {
        try (Definitions definitions = open()) {
            create(definitions, "one");
            create(definitions, "two");
        }
        Files.delete(file());
        StateException missing = assertThrows(StateException.class, this::open);
        assertTrue(missing.getMessage().contains("is missing"), missing.getMessage());
    }

    @Test
    void twoDoNotShareADirectory() throws Exception {
        try (Definitions first = open()) {
            StateException used = assertThrows(StateException.class, this::open);
            assertTrue(used.getMessage().contains("in use"), used.getMessage());
            create(first, "one");
        }
        open().close();
    }

    @Test
    void nothingThatDescribesItselfHoldsAPassword() {
        KeptMapping mapping = mapping("alice", "hunter2");
        KeptServer server = server("one", CLOCK.instant()).with(mapping);
        String all = mapping + " " + server + " " + SecretText.of("hunter2") + SecretText.of("literal:hunter2");
        assertFalse(all.contains("hunter2") || all.contains("opt1on"), all);
        assertEquals("$NAME", SecretText.of("$NAME").toString());
        assertNotEquals(SecretText.of("$NAME"), SecretText.of("literal:$NAME"));
    }

    /** Finding C8. */
    @Test
    void aDirectoryThatOthersMayWriteIsRefused() throws Exception {
        for (String rights : List.of("rwxrwxrwx", "rwxrwx---")) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(rights));
            try (JdbcRegistry registry = JdbcRegistry.builder().build()) {
                StateException e = assertThrows(
                        StateException.class,
                        () -> Definitions.open(directory, Map.of(), registry, InstantSource.system()));
                assertTrue(String.valueOf(e.getMessage()).contains("chmod 700"), e.toString());
            }
        }
    }

    @Test
    void theConsolesOwnSecretsAreNobodysPassword() {
        assertThrows(IllegalArgumentException.class, () -> SecretText.of("$FOREBAY_VAULT_KEY"));
    }

    // ---- what they are made from

    /** Changes the file as someone would who knows how to make the checksum. */
    private void rewrite(UnaryOperator<String> change) throws Exception {
        String text = Files.readString(file());
        rewrite(change, text.lastIndexOf("# sha256 "), "");
    }

    /** Changes the file as someone would who has the key as well. */
    private void rewriteWithTheKey(UnaryOperator<String> change) throws Exception {
        rewrite(change, Files.readString(file()).lastIndexOf("# hmac-sha256 "), "# hmac-sha256 ");
    }

    private void rewrite(UnaryOperator<String> change, int end, String code) throws Exception {
        String text = Files.readString(file());
        String body = change.apply(text.substring(0, end));
        assertNotEquals(body, text.substring(0, end));
        if (!code.isEmpty()) {
            Vault vault = Vault.of(VaultTest.KEY, "test");
            body += code + vault.code(vault.keyId(), body) + "\n";
        }
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(body.getBytes(StandardCharsets.UTF_8));
        Files.writeString(file(), body + "# sha256 " + HexFormat.of().formatHex(digest) + "\n");
    }

    private Path file() {
        return directory.resolve("definitions.yaml");
    }

    private Definitions open() throws IOException {
        return open(directory, VaultTest.KEY, Disk.REAL);
    }

    private Definitions open(Path place, String keys, Disk disk) throws IOException {
        JdbcRegistry registry = JdbcRegistry.builder().build();
        registries.add(registry);
        return Definitions.open(place, Vault.of(keys, "test"), registry, CLOCK, disk);
    }

    private static KeptServer server(String name, Instant now) {
        try {
            ServerDefinition definition = ServerDefinition.builder(name, DatabaseType.POSTGRESQL)
                    .option("host", "db.example.com")
                    .option("port", "5432")
                    .option("dbname", "production")
                    .option("enable_health_check", "false")
                    .option("driver.sslpassword", "opt1on")
                    .owner("admin")
                    .build();
            return new KeptServer(definition, now, now, Map.of());
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static KeptMapping mapping(String user, String password) {
        return new KeptMapping(
                user,
                "app",
                UserMapping.Auth.PASSWORD,
                SecretText.of(password),
                Map.of("sslPassword", "opt1on"),
                CLOCK.instant(),
                CLOCK.instant());
    }

    private static void create(Definitions definitions, String name) throws SQLException {
        definitions.change((servers, now) -> {
            KeptServer server = server(name, now);
            return Change.put(servers, server, registry -> registry.register(server.definition()));
        });
    }

    private static void map(Definitions definitions, String server, KeptMapping mapping) throws SQLException {
        definitions.change((servers, now) -> Change.put(
                servers, servers.get(server).with(mapping), registry -> registry.map(server, mapping.mapping())));
    }

    /** Fails at one step, or from one on. */
    private static final class FailingDisk implements Disk {
        private int steps;
        private int first = Integer.MAX_VALUE;
        private int last = Integer.MAX_VALUE;
        private boolean late;

        void failAt(int step, boolean afterwards) {
            steps = 0;
            first = step;
            last = step;
            late = afterwards;
        }

        void failFrom(int step) {
            steps = 0;
            first = step;
            last = Integer.MAX_VALUE;
            late = false;
        }

        private void run(Action action) throws IOException {
            steps++;
            boolean fails = steps >= first && steps <= last;
            if (!fails || late) {
                action.run();
            }
            if (fails) {
                throw new IOException("No space left on device");
            }
        }

        @Override
        public void write(Path file, byte[] bytes) throws IOException {
            run(() -> Disk.super.write(file, bytes));
        }

        @Override
        public void move(Path from, Path to) throws IOException {
            run(() -> Disk.super.move(from, to));
        }

        @Override
        public void sync(Path place) throws IOException {
            run(() -> Disk.super.sync(place));
        }

        @Override
        public void delete(Path file) throws IOException {
            run(() -> Disk.super.delete(file));
        }

        private interface Action {
            void run() throws IOException;
        }
    }
}
