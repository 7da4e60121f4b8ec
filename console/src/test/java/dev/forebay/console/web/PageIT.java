// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.console.admin.AdminPort;
import dev.forebay.console.state.Definitions;
import dev.forebay.local.testkit.Browser;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.jdbc.JdbcRegistry;
import dev.forebay.registry.jdbc.RemoteConnection;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The page in a real browser, before a registry that has its own port for SQL as a server, and another that is not there. The
 * pictures that it takes are left in target/page, for people to look at.
 */
@EnabledIf(value = "isThereABrowser", disabledReason = "there is no chromium")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PageIT {

    private static final Path PICTURES = Path.of("target", "page");
    private static final String TOKEN = "sesame-sesame";
    private static final String PASSWORD = "hunter2-hunter2";
    private static final String HOSTILE = "<img src=x onerror=document.title=1> it's \":count\"";
    private static final int MOST_BYTES = 300_000;

    @TempDir
    private static Path state;

    private static Browser browser;
    private static JdbcRegistry registry;
    private static Definitions definitions;
    private static AdminPort admin;

    private ConsolePage page;
    private WebPort port;

    static boolean isThereABrowser() {
        return Browser.executable() != null;
    }

    private static Happenings happenings;
    private static RegistrySource.Hearing hearing;

    @BeforeAll
    static void start() throws Exception {
        Files.createDirectories(PICTURES);
        happenings = new Happenings(InstantSource.system());
        hearing = new RegistrySource.Hearing(happenings);
        registry = JdbcRegistry.builder().listener(hearing).build();
        definitions = Definitions.open(state, Map.of(), registry, InstantSource.system());
        admin = AdminPort.open(registry, definitions, "admin", PASSWORD.toCharArray(), 0, null);
        server("itself", admin.port());
        server(HOSTILE, 1);
        browser = new Browser();
    }

    private static void server(String name, int port) throws SQLException {
        String quoted = '"' + name.replace("\"", "\"\"") + '"';
        admin.perform(
                "CREATE SERVER " + quoted + " FOREIGN DATA WRAPPER postgresql_fdw OPTIONS (host '127.0.0.1', port '"
                        + port + "', dbname 'forebay', reset_on_release 'false', max_connections '4')",
                "a test");
        admin.perform(
                "CREATE USER MAPPING FOR PUBLIC SERVER " + quoted + " OPTIONS (user 'admin', password '" + PASSWORD
                        + "')",
                "a test");
    }

    @AfterAll
    static void stop() throws Exception {
        if (browser != null) {
            browser.close();
            admin.close();
            definitions.close();
            registry.close();
        }
    }

    private URI show(boolean mayAct) throws IOException {
        page = new ConsolePage(
                new RegistrySource(registry, hearing, sql -> admin.perform(sql, "the page")), happenings, mayAct);
        WebPort.Builder builder = WebPort.builder(TOKEN);
        page.showAt(builder);
        port = builder.listen(0);
        return URI.create(port.url());
    }

    @AfterEach
    void close() throws InterruptedException {
        browser.ask("sessionStorage.clear()");
        port.close();
        page.close();
    }

    private static URI entered(URI own) {
        return URI.create(own + "#token=" + TOKEN);
    }

    private static void awaitLive() throws InterruptedException {
        browser.await("true", "document.querySelector('#status').className === 'live'");
    }

    /** Waits until a view is drawn: its first line, and words like a server's name, stand on other views too. */
    private static void awaitView(String heading) throws InterruptedException {
        browser.await(heading, "document.querySelector('main h2').textContent");
    }

    private static String main() throws InterruptedException {
        return browser.ask("document.querySelector('main').innerText");
    }

    /** Finding F12: the overview said nothing of servers. */
    @Test
    void theFirstLineSaysWhichServersAreSickAndWhy() throws Exception {
        registry.markUnhealthy("itself", "maintenance");
        try {
            browser.open(entered(show(false)), 1280, false);
            awaitLive();
            browser.await("true", "document.querySelector('#troubles') !== null");
            String first = browser.ask("document.querySelector('main section').innerText");
            assertTrue(first.contains("1 of 2 servers unhealthy"), first);
            assertTrue(first.contains("itself is unhealthy: maintenance"), first);
            Files.write(PICTURES.resolve("troubles-1280-light.png"), browser.screenshot());
        } finally {
            registry.markHealthy("itself");
        }
    }

    @ParameterizedTest
    @CsvSource({"390, false", "390, true", "1280, false", "1280, true"})
    void everyViewIsWholeAtEveryWidthInTheLightAndInTheDark(int width, boolean dark) throws Exception {
        URI own = show(true);
        try (RemoteConnection held = registry.acquire("itself", "alice")) {
            browser.open(entered(own), width, dark);
            awaitLive();
            assertEquals(
                    "Overview,Pools,Discards,Servers,Holders,Events,Settings",
                    browser.ask("[...document.querySelectorAll('nav a')].map(a => a.textContent)"));
            browser.await("4", "document.querySelectorAll('figure .uplot canvas').length");
            for (String heading :
                    List.of("Overview", "Pools", "itself", "Discards", "Servers", "Holders", "Events", "Settings")) {
                String view = heading.equals("itself") ? "pool/itself" : heading.toLowerCase(Locale.ROOT);
                browser.ask("location.hash = '#/" + view + "'");
                awaitView(heading);
                browser.await("false", "main.innerText.includes('Asking')");
                assertTrue(
                        Double.parseDouble(browser.ask("document.documentElement.scrollWidth")) <= width,
                        view + " is wider than " + width);
                Files.write(
                        PICTURES.resolve(view.replace('/', '-') + "-" + width + (dark ? "-dark" : "-light") + ".png"),
                        browser.screenshot());
            }
            assertEquals(
                    dark ? "rgb(17, 22, 28)" : "rgb(246, 248, 250)",
                    browser.ask("getComputedStyle(document.body).backgroundColor"));
            assertTrue(held.connection().isValid(1));
        }
        assertEquals(List.of(), browser.troubles(own));
    }

    @Test
    void theFiguresAreTheRegistrys() throws Exception {
        URI own = show(false);
        try (RemoteConnection held = registry.acquire("itself", "alice")) {
            browser.open(entered(own), 1280, false);
            awaitLive();
            browser.press("2");
            awaitView("Pools");
            browser.await(
                    "1",
                    "[...document.querySelectorAll('tbody tr')].find(r => r.innerText.includes('itself')).cells[3].innerText");
            browser.ask("location.hash = '#/holders'");
            awaitView("Holders");
            browser.await("true", "main.innerText.includes('alice')");
            browser.ask("location.hash = '#/pool/itself'");
            browser.await("true", "main.innerText.includes('max_connections')");
            browser.await("6", "document.querySelectorAll('.u-series:not(:first-child) .u-value').length");
            browser.await(
                    "true",
                    "[...document.querySelectorAll('.u-value')].every(v => v.textContent !== '–')"
                            + " && [...document.querySelectorAll('.u-value')].some(v => v.textContent === '1')");
            String shown = main();
            assertTrue(shown.contains("max_connections\t4\tdefinition"), shown);
            assertTrue(shown.contains("read-only") || shown.contains("for looking only"), shown);
            assertEquals("0", browser.ask("document.querySelectorAll('[data-action]').length"));
            assertTrue(held.connection().isValid(1));
        }
        browser.ask("location.hash = '#/holders'");
        browser.await("true", "main.innerText.includes('Nobody holds a connection')");
    }

    @Test
    void withoutTheTokenThereIsOnlyTheQuestion() throws Exception {
        URI own = show(false);
        browser.open(own, 390, false);
        browser.await("true", "main.innerText.includes('Who is there?')");
        browser.type("wrong");
        browser.press("Enter");
        browser.await("true", "main.innerText.includes('That is not the token.')");
        browser.type("falsch ü 鍵");
        browser.press("Enter");
        browser.await("true", "main.innerText.includes('That is not the token.')");
        browser.type(TOKEN);
        browser.press("Enter");
        awaitLive();
        assertEquals("", browser.ask("location.hash"), "the token is not in the address");
        browser.click("#leave");
        browser.await("true", "main.innerText.includes('Who is there?')");
        assertEquals("null", browser.ask("sessionStorage.getItem('token')"));
    }

    @Test
    void aLinkBringsTheTokenAndTheAddressDoesNotKeepIt() throws Exception {
        browser.open(entered(show(false)), 1280, false);
        awaitLive();
        assertFalse(browser.ask("location.href").contains(TOKEN));
        assertFalse(browser.ask("document.documentElement.outerHTML").contains(TOKEN));
    }

    @Test
    void anActionAsksFirstAndIsAStatement() throws Exception {
        URI own = show(true);
        browser.open(entered(own), 1280, false);
        awaitLive();
        browser.ask("location.hash = '#/pool/itself'");
        act("pause");
        assertEquals("PAUSE \"itself\"", browser.ask("document.querySelector('#ask-statement').textContent"));
        Files.write(PICTURES.resolve("asks.png"), browser.screenshot());
        assertFalse(registry.serverStats("itself").paused());
        browser.press("Escape");
        browser.await("false", "document.querySelector('#ask').open");
        assertFalse(registry.serverStats("itself").paused(), "it was called off");
        act("pause");
        browser.click("#ask-do");
        browser.await("true", "main.innerText.includes('paused')");
        assertTrue(registry.serverStats("itself").paused());
        act("resume");
        browser.click("#ask-do");
        browser.await("true", "main.innerText.includes('serving')");
        act("resize");
        browser.ask("document.querySelector('#ask [name=max]').select()");
        browser.type("7");
        assertEquals(
                "ALTER SERVER \"itself\" OPTIONS (ADD min_connections '1', SET max_connections '7')",
                browser.ask("document.querySelector('#ask-statement').textContent"));
        browser.press("Enter");
        browser.await("false", "document.querySelector('#ask').open");
        assertEquals("7", registry.server("itself").options().get("max_connections"));
        assertEquals(List.of(), browser.troubles(own));
    }

    private void act(String name) throws InterruptedException {
        browser.await("true", "document.querySelector('[data-action=" + name + "]') !== null");
        browser.click("[data-action=" + name + "]");
        browser.await("true", "document.querySelector('#ask').open");
    }

    @Test
    void whatIsRefusedIsSaidAndANameIsNothingButAName() throws Exception {
        URI own = show(true);
        browser.open(entered(own), 390, true);
        awaitLive();
        browser.press("2");
        awaitView("Pools");
        browser.ask("[...document.querySelectorAll('main a')].find(a => a.innerText.includes('onerror')).click()");
        act("resize");
        browser.ask("document.querySelector('#ask [name=min]').select()");
        browser.type("9");
        browser.press("Enter");
        browser.await("true", "document.querySelector('#ask-trouble').textContent.includes('max_connections')");
        assertEquals("true", browser.ask("document.querySelector('#ask').open"));
        browser.press("Escape");
        act("resize");
        browser.ask("document.querySelector('#ask [name=max]').select()");
        browser.type("3");
        browser.press("Enter");
        browser.await("false", "document.querySelector('#ask').open");
        assertEquals("3", registry.server(HOSTILE).options().get("max_connections"));
        assertThrows(RegistryException.class, () -> registry.acquire(HOSTILE, "alice"));
        browser.ask("location.hash = '#/events'");
        awaitView("Events");
        browser.await("true", "main.innerText.includes('could not be opened')");
        assertFalse(browser.ask("document.title").equals("1"));
        assertEquals("1", browser.ask("document.images.length"), "the one of its own");
    }

    @Test
    void itIsUsedByKeysAlone() throws Exception {
        URI own = show(true);
        browser.open(entered(own), 1280, false);
        awaitLive();
        browser.press("?");
        browser.await("true", "document.querySelector('#help').open");
        browser.press("Escape");
        browser.await("false", "document.querySelector('#help').open");
        browser.press("7");
        awaitView("Settings");
        browser.press("/");
        browser.await("filter", "document.activeElement.id");
        browser.type("max_conn");
        browser.await("1", "document.querySelectorAll('tbody tr').length");
        browser.ask("document.activeElement.blur()");
        browser.press("2");
        awaitView("Pools");
        for (int i = 0;
                i < 30
                        && !browser.ask("document.activeElement.getAttribute('href')")
                                .equals("#/pool/itself");
                i++) {
            browser.press("Tab");
        }
        browser.press("Enter");
        awaitView("itself");
    }

    @Test
    void whenTheServerGoesThePageSaysSo() throws Exception {
        URI own = show(false);
        browser.open(entered(own), 1280, false);
        awaitLive();
        port.close();
        browser.await("lost", "document.querySelector('#status').className");
        WebPort.Builder builder = WebPort.builder(TOKEN);
        page.showAt(builder);
        port = builder.listen(own.getPort());
        awaitLive();
    }

    @Test
    void anAddressThatIsNoneLeadsNowhereAndBreaksNothing() throws Exception {
        browser.open(entered(show(false)), 1280, false);
        awaitLive();
        browser.ask("location.hash = '#/pool/%'");
        awaitView("%");
        browser.await("true", "main.innerText.includes('There is no pool of this name.')");
    }

    @Test
    void whatIsAskedTwiceAtOnceIsDrawnOnce() throws Exception {
        browser.open(entered(show(false)), 1280, false);
        awaitLive();
        String asked = browser.ask("(() => { let asked = 0; const real = fetch;"
                + "window.fetch = (path, more) => { asked += path.includes('state') ? 1 : 0; return real(path, more); };"
                + "for (let i = 0; i < 5; i++) { document.dispatchEvent(new Event('visibilitychange')); }"
                + "window.fetch = real; return asked; })()");
        assertTrue(
                asked.equals("1") || asked.equals("0"), asked + " questions, beside one that may have been under way");
        assertEquals("true", browser.ask("document.hidden === false"), "else nothing would have been asked");
    }

    @Test
    void allThatIsLoadedIsSmall() throws Exception {
        URI own = show(false);
        browser.open(entered(own), 1280, false);
        awaitLive();
        String bytes = browser.ask(
                "performance.getEntriesByType('resource').filter(r => !r.name.includes('/api/')).reduce((n, r) => n + r.decodedBodySize, 0)");
        assertTrue(Double.parseDouble(bytes) > 60_000, "the files are counted: " + bytes);
        assertTrue(Double.parseDouble(bytes) < MOST_BYTES, bytes);
    }
}
