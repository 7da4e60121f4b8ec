// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.console.state.Definitions;
import dev.forebay.registry.jdbc.JdbcRegistry;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Finding C5: an administrator who wants to read stored passwords back. */
class SecretTheftTest {

    @TempDir
    Path directory;

    /** The URL and the password of each connect that reached a server. */
    private final List<String> sent = Collections.synchronizedList(new ArrayList<>());

    private JdbcRegistry registry;
    private Definitions definitions;
    private RegistryAdministration administration;

    @BeforeEach
    void aServerWithAStoredPassword() throws Exception {
        Driver driver = (Driver) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Driver.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("connect")) {
                        sent.add(arguments[0] + " " + ((Properties) arguments[1]).getProperty("password"));
                        throw new SQLException("nobody is there", "08001");
                    }
                    return null;
                });
        registry = JdbcRegistry.builder()
                .drivers(type -> driver)
                .allow((host, port) -> !host.equals("forbidden"))
                .build();
        definitions = Definitions.open(directory, Map.of(), registry, InstantSource.system());
        administration = new RegistryAdministration(registry, definitions);
        run("CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw OPTIONS"
                + " (host 'good', dbname 'd', ssl_mode 'verify-full', ssl_ca '/ca', enable_health_check 'false',"
                + " acquire_timeout '50', connect_timeout '50')");
        run("CREATE USER MAPPING FOR alice SERVER s OPTIONS (user 'app', password 'hunter2')");
    }

    @AfterEach
    void end() throws Exception {
        registry.close();
        definitions.close();
    }

    private void run(String sql) throws SQLException {
        try {
            for (AdminStatement statement : AdminSql.parse(sql)) {
                administration.perform(statement, "root");
            }
        } catch (AdminSyntaxException e) {
            throw new AssertionError(sql, e);
        }
    }

    private List<String> stolen() throws SQLException {
        run("CALL sys.test_connection('s')");
        run("CALL sys.warmup_pool('s', 1)");
        return sent.stream().filter(one -> one.endsWith(" hunter2")).toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER SERVER s OPTIONS (SET host 'evil')",
                "ALTER SERVER s OPTIONS (ADD port '5433')",
                "ALTER SERVER s OPTIONS (SET ssl_mode 'require')",
                "ALTER SERVER s OPTIONS (SET ssl_mode 'prefer')",
                "ALTER SERVER s OPTIONS (DROP ssl_mode)",
                "ALTER SERVER s OPTIONS (SET ssl_ca '/another')"
            })
    void aServerThatIsMovedLosesThePasswordItWasGiven(String attack) throws Exception {
        run(attack);
        assertEquals(List.of(), stolen());
        run("ALTER USER MAPPING FOR alice SERVER s OPTIONS (ADD password 'another')");
    }

    @Test
    void aMoveThatIsRefusedLosesNothing() throws Exception {
        assertThrows(SQLException.class, () -> run("ALTER SERVER s OPTIONS (SET host 'forbidden')"));
        assertTrue(stolen().get(0).startsWith("jdbc:postgresql://good:5432/"), sent.toString());
    }

    @Test
    void otherChangesKeepThePassword() throws Exception {
        run("ALTER SERVER s OPTIONS (ADD max_connections '3', ADD driver.ApplicationName 'x')");
        assertTrue(!stolen().isEmpty(), sent.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "socketFactory",
                "sslfactory",
                "sslHostnameVerifier",
                "authenticationPluginClassName",
                "loggerFile",
                "sslmode",
                "allowLoadLocalInfile",
                "allowUrlInLocalInfile",
                "allowLocalInfile",
                "autoDeserialize",
                "queryInterceptors",
                "propertiesTransform",
                "trustServerCertificate",
                "encrypt",
                "serverName",
                "failoverPartner",
                "nativeLibraryPath",
                "wireCrypt",
                "allowPublicKeyRetrieval",
                "service",
                "credentialType",
                "localSocket",
                "PGHOST",
                "trustStore",
                "accessTokenCallbackClass",
                "channelBinding",
                "socksProxyHost"
            })
    void dangerousDriverOptionsAreRefusedByName(String property) {
        for (String sql : List.of(
                "ALTER SERVER s OPTIONS (ADD driver.\"" + property + "\" 'x')",
                "ALTER USER MAPPING FOR alice SERVER s OPTIONS (ADD driver.\"" + property + "\" 'x')")) {
            SQLException refused = assertThrows(SQLException.class, () -> run(sql), sql);
            assertEquals("RD032", refused.getSQLState());
            assertTrue(refused.getMessage().contains(property), refused.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "useServerPrepStmts",
                "USESERVERPREPSTMTS",
                "serverTimezone",
                "cacheServerConfiguration",
                "disablePipeline",
                "databaseTerm"
            })
    void optionsThatOnlySoundDangerousAreTaken(String property) throws Exception {
        run("ALTER SERVER s OPTIONS (ADD driver.\"" + property + "\" 'x')");
        assertTrue(!stolen().isEmpty(), sent.toString());
    }

    @Test
    void filesOfTheConsoleItselfAreNoPasswords() throws Exception {
        Path link = Files.createTempDirectory("forebay-link").resolve("innocent");
        Files.createSymbolicLink(link, directory.resolve("vault.key"));
        Path state = Files.createSymbolicLink(
                link.resolveSibling("state"), Files.createDirectory(directory.resolve("below")));
        Path process = Files.createSymbolicLink(link.resolveSibling("process"), Path.of("/proc/self/task"));
        assertTrue(Files.isSameFile(Path.of(state + "/../vault.key"), directory.resolve("vault.key")));
        definitions.protect(Path.of("/run/console.ready"));
        for (String file : List.of(
                directory.resolve("vault.key").toString(),
                directory + "/../" + directory.getFileName() + "/vault.key",
                link.toString(),
                state + "/../vault.key", // the system follows the link first
                process + "/../environ",
                link.getParent() + "/../elsewhere",
                "/run/console.ready",
                "/proc/self/environ")) {
            SQLException refused = assertThrows(
                    SQLException.class,
                    () -> run("ALTER USER MAPPING FOR alice SERVER s OPTIONS (SET password 'file:" + file + "')"),
                    file);
            assertEquals("RD032", refused.getSQLState());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"x?socketFactory=evil", "x;y", "x#y"})
    void aFirebirdDatabaseIsAPathAndNoMore(String database) {
        SQLException refused = assertThrows(
                SQLException.class,
                () -> run("CREATE SERVER f FOREIGN DATA WRAPPER firebird_fdw OPTIONS (host 'h', dbname '" + database
                        + "')"));
        assertEquals("RD032", refused.getSQLState());
    }

    @Test
    void aPercentSignInAHostLeadsNowhere() {
        SQLException refused =
                assertThrows(SQLException.class, () -> run("ALTER SERVER s OPTIONS (SET host 'ev%69l.example.com')"));
        assertEquals("RD032", refused.getSQLState());
    }
}
