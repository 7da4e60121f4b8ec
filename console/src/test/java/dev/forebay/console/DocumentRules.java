// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The rules of {@link DocumentsIT} for commands that cannot be run as a {@link Document} shows them, each by its exact text. A command
 * that is not listed here is run, and has to succeed.
 */
final class DocumentRules {

    /** Not run, and why not. Of those that begin with {@code bench/run}, a test of that module sees that they would be understood. */
    static final Map<String, String> NOT_RUN = table("""
            ./mvnw verify :: is this build
            ./mvnw verify -DskipTests :: is this build
            ./mvnw -q install -DskipTests -Dtests.uncompiled -pl console,spring-boot-starter -am :: is this build
            ./mvnw spotless:apply :: changes the sources
            ./mvnw test -pl engine -Dtest=CheckoutTest :: is part of this build
            ./mvnw test -pl tx -am -Dtest=TransactionsTest -Dsurefire.failIfNoSpecifiedTests=false :: is part of this build
            ./mvnw verify -Psoak :: runs for minutes
            ./mvnw verify -Pcloud -pl dsql -am -Dtest=none -Dit.test='Cloud*' -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false :: needs AWS
            .ci/run :: is what runs this build
            .ci/servers :: installs servers
            docker compose -f deploy/compose.yaml up :: needs Docker
            docker compose -f deploy/compose.yaml down :: needs Docker
            docker compose -f deploy/local-dsql.compose.yaml up --exit-code-from service :: needs Docker; DeployIT runs what its containers run
            samples/run spring-data-jdbc dsql.properties :: builds a sample, which comes after this module; AccountsIT starts it
            samples/run hibernate dsql.properties :: builds a sample, which comes after this module; ShopIT starts it
            curl -s localhost:8080/accounts -H 'Content-Type: application/json' -d '{"owner": "Ada", "balance": 100}' :: needs a sample; AccountsIT does the same
            curl -s localhost:8080/transfers -H 'Content-Type: application/json' -d '{"from": "ID", "to": "OTHER_ID", "amount": 3}' :: needs a sample; AccountsIT does the same
            curl -s localhost:8080/products -H 'Content-Type: application/json' -d '{"name": "lamp", "stock": 10}' :: needs a sample; ShopIT does the same
            curl -s localhost:8080/products/ID/orders -H 'Content-Type: application/json' -d '{"quantity": 2}' :: needs a sample; ShopIT does the same
            curl -s localhost:8080/actuator/health :: needs a sample; AccountsIT does the same
            curl -s localhost:8080/actuator/forebay :: needs a sample; AccountsIT does the same
            curl -s localhost:8080/actuator/metrics/dsql_tx_conflicts_total :: needs a sample; AccountsIT does the same
            bench/run NAME --quick :: runs for minutes
            bench/run NAME --pools forebay,agroal :: runs for minutes
            """);

    /** Run in another form: what stands for something of the reader's is filled in, or a mention of a group of commands asks for its help. */
    static final Map<String, String> INSTEAD = table("""
            ./forebay sim :: ./forebay sim --help
            ./forebay sim ecs-400wps :: ./forebay sim ecs-400wps --duration 5m --quiet
            ./forebay sim SCENARIO :: ./forebay sim local --quiet
            ./forebay sim SCENARIO --compare standard :: ./forebay sim local --compare standard
            ./forebay sim [SCENARIO...] [--html FILE] [--csv FILE] [--svg FILE] [--compare OTHER] [--seed N | --seeds A..B] :: ./forebay sim local mass-drop --seeds 1..2 --mode reservoir --quiet
            ./mvnw -q -f orders/pom.xml compile exec:java :: javac -cp "$FOREBAY_JAR" -d orders/classes orders/src/main/java/Orders.java && java -cp "$FOREBAY_JAR:orders/classes" Orders | tee orders/said && grep -x '5 connections are ready' orders/said && grep -x 'orders: 1' orders/said
            ./forebay schema temporal :: ./forebay schema temporal --help
            ./forebay schema temporal install :: ./forebay schema temporal install --ready-file local.properties
            ./forebay schema temporal version | verify | diff   --jdbc-url 'jdbc:postgresql://…' :: ./forebay schema temporal verify --ready-file local.properties
            ./forebay tables create|check|status|reconcile|reset|policy :: ./forebay tables --help
            ./forebay tables policy :: ./forebay tables policy --account 123456789012
            ./forebay tables policy --account ACCOUNT :: ./forebay tables policy --account 123456789012
            ./forebay tables policy --account ID :: ./forebay tables policy --account 123456789012
            ./forebay tables reset :: ./forebay tables reset --yes
            PGPASSWORD=$(./forebay token) psql … :: PGPASSWORD=$(./forebay token) psql -c 'SELECT 1'
            """);

    /** The commands that are to fail, and with which code. */
    static final Map<String, String> CODES = table("""
            ./forebay tables reset </dev/null :: 2
            """);

    /** The commands that serve until they are stopped, and their ready lines. */
    private static final Map<Pattern, String> SERVING = Map.of(
            Pattern.compile("\\./forebay local\\b(?!.*--help).*"), "A local Aurora DSQL is ready",
            Pattern.compile("\\./forebay console\\b(?!.*--help).*"), "The console is ready",
            Pattern.compile("\\./forebay demo\\b(?!.*--help).*"), "* the load begins");

    private DocumentRules() {}

    /** The form in which a command is run. */
    static String form(String command) {
        return INSTEAD.getOrDefault(command, command);
    }

    /** The exit code that a command should have. */
    static int code(String command) {
        return Integer.parseInt(CODES.getOrDefault(command, "0"));
    }

    /** The ready line of a command, if it does not end by itself. */
    static Optional<String> ready(String command) {
        return SERVING.entrySet().stream()
                .filter(serving -> serving.getKey().matcher(command).matches())
                .map(Map.Entry::getValue)
                .findFirst();
    }

    private static Map<String, String> table(String rows) {
        Map<String, String> table = new LinkedHashMap<>();
        rows.lines().map(row -> row.split(" :: ", 2)).forEach(row -> table.put(row[0], row[1]));
        return table;
    }
}
