// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.forebay.local.LocalDsql;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The commands that the Markdown files of this repository show succeed: each is run with the jar that is shipped, one after the other as by a
 * reader, before a local DSQL and DynamoDB Local in the place of AWS. {@link DocumentRules} has those that are not run, and why.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DocumentsIT {

    private static LocalDsql dsql;
    private static LocalDynamo dynamo;

    private static final Path JAR = Path.of("target", "forebay.jar").toAbsolutePath();
    private static final String TABLE = "forebay-fleet";

    /** The commands that were run, in their form: one that a sentence mentions again is not run again. */
    private static final Set<String> DONE = new HashSet<>();

    /** The commands that are run anyway, since a document shows them. */
    private static final Set<String> SHOWN = Document.all().stream()
            .flatMap(document -> document.commands().stream())
            .filter(command -> !command.mentioned())
            .map(command -> DocumentRules.form(command.text()))
            .collect(Collectors.toSet());

    @TempDir
    private Path directory;

    @BeforeAll
    static void startServers() throws Exception {
        dsql = LocalDsql.builder().start();
        dynamo = LocalDynamo.shared();
        dynamo.table(TABLE).create();
    }

    @AfterAll
    static void stopServers() throws Exception {
        dsql.close();
    }

    static List<Document> documents() {
        return Document.all().stream()
                .filter(document -> !document.commands().isEmpty())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("documents")
    void everyCommandOfADocumentSucceeds(Document document) throws Exception {
        dynamo.fill(TABLE, "localhost", 3);
        try (DocumentShell shell = new DocumentShell(directory, variables())) {
            shell.export("export DSQL_DISTRIBUTED_CONN_LEASE_TABLE=" + TABLE);
            shell.write("local.properties", facts());
            for (Map.Entry<String, String> file : document.files().entrySet()) {
                shell.write(file.getKey(), file.getValue());
            }
            for (Document.Command command : document.commands()) {
                if (missing(command.text()).isEmpty()) {
                    obey(shell, command);
                }
            }
        }
        List<String> missing = document.commands().stream()
                .flatMap(command -> missing(command.text()).stream())
                .distinct()
                .toList();
        assumeTrue(missing.isEmpty(), () -> "run, but for commands that need " + missing + ", not installed");
    }

    private static List<String> missing(String command) {
        return Stream.of("psql", "curl", "openssl")
                .filter(program -> command.matches("(.* )?" + program + " .*") && !DocumentShell.has(program))
                .toList();
    }

    private static void obey(DocumentShell shell, Document.Command command) throws Exception {
        String text = command.text();
        if (DocumentRules.NOT_RUN.containsKey(text) || text.startsWith("bench/run ")) {
            return;
        }
        if (text.startsWith("export ")) {
            shell.export(text);
            return;
        }
        String form = DocumentRules.form(text);
        if (command.mentioned() && SHOWN.contains(form) || !DONE.add(form) && command.mentioned()) {
            return;
        }
        Optional<String> ready = DocumentRules.ready(form);
        if (ready.isPresent()) {
            shell.serve(form, ready.get());
        } else {
            shell.run(form, DocumentRules.code(text));
        }
    }

    /** The surroundings of a reader with a cluster: the local DSQL, as the programs and as psql want to be told of it. */
    private Map<String, String> variables() {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("AWS_ACCESS_KEY_ID", dsql.accessKey().id());
        variables.put("AWS_SECRET_ACCESS_KEY", dsql.accessKey().secret());
        variables.put("AWS_ENDPOINT_URL_DYNAMODB", dynamo.url());
        variables.put("CLUSTER_ENDPOINT", "localhost:" + dsql.port());
        variables.put("REGION", dsql.region());
        variables.put("DSQL_CA_FILE", dsql.caFile().toString());
        variables.put("PGHOST", "localhost");
        variables.put("PGPORT", Integer.toString(dsql.port()));
        variables.put("PGUSER", "admin");
        variables.put("PGDATABASE", LocalDsql.DATABASE);
        variables.put("PGSSLMODE", "verify-full");
        variables.put("PGSSLROOTCERT", dsql.caFile().toString());
        variables.put("FOREBAY_JAR", JAR.toString());
        variables.put("FOREBAY_ADMIN_PASSWORD", "of an administrator");
        variables.put("XDG_STATE_HOME", directory.resolve("state").toString());
        return variables;
    }

    private static String facts() {
        return "user=admin\njdbc_url=" + dsql.jdbcUrl() + "\ntoken=" + dsql.token("admin", Duration.ofHours(1)) + "\n";
    }
}
