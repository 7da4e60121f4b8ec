// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The page's inventory of methods, held against the seed's list and the code. */
final class InventoryTest {

    /** Seed 003, section 4. */
    private static final List<String> METHODS = List.of(
            "InsertIntoShards",
            "UpdateShards",
            "SelectFromShards",
            "ReadLockShards",
            "WriteLockShards",
            "InsertIntoExecutions",
            "UpdateExecutions",
            "SelectFromExecutions",
            "DeleteFromExecutions",
            "ReadLockExecutions",
            "WriteLockExecutions",
            "InsertIntoCurrentExecutions",
            "UpdateCurrentExecutions",
            "SelectFromCurrentExecutions",
            "DeleteFromCurrentExecutions",
            "LockCurrentExecutions",
            "InsertIntoTaskQueues",
            "UpdateTaskQueues",
            "SelectFromTaskQueues",
            "DeleteFromTaskQueues",
            "LockTaskQueues",
            "InsertIntoNamespace",
            "UpdateNamespace",
            "SelectFromNamespace",
            "DeleteFromNamespace",
            "LockNamespaceMetadata",
            "InsertIntoQueue",
            "SelectFromQueue",
            "DeleteFromQueue",
            "GetLastEnqueuedMessageID",
            "LockQueueMetadata",
            "InsertIntoClusterMetadata",
            "UpdateClusterMetadata",
            "SelectFromClusterMetadata",
            "DeleteFromClusterMetadata",
            "WriteLockGetClusterMetadata");

    private static final Path PAGE = Path.of("..", "docs", "temporal.md");
    private static final Path SOURCES = Path.of("src", "main", "java", "dev", "forebay", "temporal");

    /** A row of the inventory: the method, and the class and method that it is here. */
    record Row(String method, String type, String name, String fence) {}

    static Stream<Row> rows() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .dropWhile(line -> !line.startsWith("| Interface |"))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.split("\\|"))
                .map(cells -> new Row(
                        cells[2].strip(),
                        cells[3].strip().replace("`", "").split("\\.")[0],
                        cells[3].strip().replace("`", "").split("\\.")[1],
                        cells[5].strip()));
    }

    @Test
    void everyMethodOfTheSeedIsInTheTable() throws IOException {
        assertEquals(METHODS, rows().map(Row::method).toList());
    }

    @ParameterizedTest
    @MethodSource("rows")
    void whatTheTableNamesIsThere(Row row) throws Exception {
        Class<?> type = Class.forName("dev.forebay.temporal." + row.type());
        List<Method> methods = Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.getName().equals(row.name()))
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .toList();
        assertTrue(!methods.isEmpty(), () -> "no public " + row.type() + "." + row.name());
        String source = Files.readString(SOURCES.resolve(row.type() + ".java"));
        assertTrue(source.contains("\"" + row.method() + "\""), () -> row.type() + " runs no " + row.method());
    }

    /** A conditional update takes the token that it expects, so that nobody can leave it out. */
    @ParameterizedTest
    @MethodSource("rows")
    void whatIsFencedByATokenTakesOne(Row row) throws Exception {
        boolean isByToken = row.fence().startsWith("`") && !row.fence().contains("metadata row");
        if (!isByToken || row.type().equals("Clusters")) { // whose row has the version it expects
            return;
        }
        Class<?> type = Class.forName("dev.forebay.temporal." + row.type());
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals(row.name()) && Modifier.isPublic(method.getModifiers())) {
                assertTrue(method.getParameterCount() >= 2, () -> method + " takes no token");
            }
        }
    }
}
