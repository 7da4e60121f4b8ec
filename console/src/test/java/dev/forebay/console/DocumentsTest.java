// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The things that documents name exist: pages, headings, options, modules. */
class DocumentsTest {

    private static final List<Document> DOCUMENTS = Document.all();
    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z-]*");
    private static final Pattern BENCH_OPTION = Pattern.compile("\"(--[a-z-]+)\"");

    /** Options of programs that are not ours. */
    private static final Set<String> OF_OTHERS = Set.of("--version", "--help");

    @Test
    void everyLinkLeadsToAFileAndAHeadingThatAreThere() {
        Map<Path, Document> pages = DOCUMENTS.stream()
                .collect(Collectors.toMap(document -> Document.ROOT.resolve(document.name()), document -> document));
        List<String> broken = new ArrayList<>();
        for (Map.Entry<Path, Document> page : pages.entrySet()) {
            for (String link : page.getValue().links()) {
                String[] parts = link.split("#", 2);
                Path target = parts[0].isEmpty()
                        ? page.getKey()
                        : page.getKey().resolveSibling(parts[0]).normalize();
                boolean isElsewhere = link.matches("https?://.*");
                if (!isElsewhere && !Files.exists(target)) {
                    broken.add(page.getValue() + ": " + link);
                } else if (!isElsewhere
                        && parts.length > 1
                        && !pages.get(target).anchors().contains(parts[1])) {
                    broken.add(page.getValue() + ": " + link + ", among "
                            + pages.get(target).anchors());
                }
            }
        }
        assertEquals(List.of(), broken);
    }

    @Test
    void everyOptionThatIsNamedIsOneThatACommandHas() throws IOException {
        Set<String> known = new HashSet<>(OF_OTHERS);
        collect(Forebay.commands(), known);
        try (Stream<Path> sources = Files.walk(Document.ROOT.resolve("bench/src/main"))) {
            for (Path source : sources.filter(Files::isRegularFile).toList()) {
                BENCH_OPTION.matcher(Files.readString(source)).results().forEach(found -> known.add(found.group(1)));
            }
        }
        List<String> unknown = new ArrayList<>();
        for (Document document : DOCUMENTS) {
            Pattern.compile("`[^`\n]*`|(?m)^ *(?:\\$ )?\\./forebay .*$")
                    .matcher(document.text())
                    .results()
                    .flatMap(code -> OPTION.matcher(code.group()).results())
                    .map(MatchResult::group)
                    .filter(option -> !known.contains(option))
                    .forEach(option -> unknown.add(document + ": " + option));
        }
        assertEquals(List.of(), unknown);
    }

    private static void collect(CommandLine command, Set<String> known) {
        command.getCommandSpec().options().forEach(option -> known.addAll(List.of(option.names())));
        command.getSubcommands().values().forEach(subcommand -> collect(subcommand, known));
    }

    /** Those that there are stand on the page of the configuration, which is held against the code. */
    @Test
    void everyVariableThatIsNamedIsOneOfOurs() {
        Pattern variable = Pattern.compile("\\bDSQL_[A-Z_]*[A-Z]\\b(?!_)");
        Set<String> known = new HashSet<>(Set.of("DSQL_RESERVOIR_TARGET_REDY")); // misspelt, to be found by the doctor
        Map<Boolean, List<Document>> pages = DOCUMENTS.stream()
                .collect(Collectors.partitioningBy(document -> document.name().equals("docs/configuration.md")));
        pages.get(true)
                .forEach(page -> variable.matcher(page.text()).results().forEach(name -> known.add(name.group())));
        assertTrue(known.size() > 50, known::toString);
        List<String> unknown = new ArrayList<>();
        for (Document document : pages.get(false)) {
            variable.matcher(document.text())
                    .results()
                    .map(MatchResult::group)
                    .filter(name -> !known.contains(name))
                    .forEach(name -> unknown.add(document + ": " + name));
        }
        assertEquals(List.of(), unknown);
    }

    @Test
    void whatIsNotRunAsItStandsStandsInADocument() {
        Set<String> commands = DOCUMENTS.stream()
                .flatMap(document -> document.commands().stream())
                .map(Document.Command::text)
                .collect(Collectors.toSet());
        for (Map<String, String> rules : List.of(DocumentRules.NOT_RUN, DocumentRules.INSTEAD, DocumentRules.CODES)) {
            List<String> stale = rules.keySet().stream()
                    .filter(rule -> !commands.contains(rule))
                    .toList();
            assertEquals(List.of(), stale, "no document has these any more");
        }
    }

    @Test
    void everyModuleThatMavenIsToBuildIsThere() {
        for (Document document : DOCUMENTS) {
            Pattern.compile("mvnw .*?-pl ([\\w/,-]+)")
                    .matcher(document.text())
                    .results()
                    .forEach(modules -> {
                        for (String module : modules.group(1).split(",")) {
                            assertTrue(
                                    Files.exists(Document.ROOT.resolve(module).resolve("pom.xml")),
                                    () -> document + ": " + modules.group());
                        }
                    });
        }
    }

    /** Maven itself is not run on it, since that would need an installation of this build. */
    @Test
    void theProjectOfGettingStartedDependsOnAModuleOfThisVersion() throws IOException {
        String pom = DOCUMENTS.stream()
                .filter(document -> document.name().equals("docs/getting-started.md"))
                .findFirst()
                .orElseThrow()
                .files()
                .get("orders/pom.xml");
        String parent = Files.readString(Document.ROOT.resolve("pom.xml"));
        String ours = parent.substring(parent.indexOf("<version>"), parent.indexOf("</version>"));
        assertTrue(pom.contains("<artifactId>forebay-dsql</artifactId>\n      " + ours), pom);
        assertTrue(Files.readString(Document.ROOT.resolve("dsql/pom.xml")).contains("<artifactId>forebay-dsql<"));
    }

    /** The negative control: in each of the places where a command may stand, one is found. */
    @Test
    void commandsAreFoundInBlocksSessionsIndentedLinesSentencesAndTables() {
        Document document = Document.of("page.md", """
                # A page
                Say `./forebay one` or `psql`.

                ```bash
                # a comment
                made-up two \\
                  more
                ```

                ```
                $ ./forebay three
                ./forebay said
                ```

                    ./forebay four
                    what it prints

                | `PGPASSWORD=$(./forebay token) psql …` | five |

                ```yaml
                # some/file.yaml
                ./forebay: no command
                ```
                """);
        assertEquals(
                List.of(
                        "./forebay one",
                        "made-up two more",
                        "./forebay three",
                        "./forebay four",
                        "PGPASSWORD=$(./forebay token) psql …"),
                document.commands().stream().map(Document.Command::text).toList());
        assertEquals(Set.of("some/file.yaml"), document.files().keySet());
        assertEquals(Set.of("a-page"), document.anchors());
    }
}
