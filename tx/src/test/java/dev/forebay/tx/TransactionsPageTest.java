// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The page {@code docs/transactions.md} prints the code that {@link TransactionsGuideIT} runs. */
class TransactionsPageTest {

    private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```$");

    @Test
    void everyExampleIsOneThatRuns() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "transactions.md"));
        String source = Files.readString(Path.of("src/test/java/dev/forebay/tx/TransactionsGuide.java"));
        List<String> examples = BLOCK.matcher(page)
                .results()
                .map(MatchResult::group)
                .map(block -> block.replaceAll("```(java\\n)?", ""))
                .toList();
        assertEquals(8, examples.size(), "examples on the page");
        for (String example : examples) {
            assertTrue(isPartOf(source, example), () -> "not in TransactionsGuide:\n" + example);
        }
    }

    /** Whether whole lines of {@code source} are {@code example}, but for an indentation of two or three levels. */
    private static boolean isPartOf(String source, String example) {
        return IntStream.of(8, 12)
                .mapToObj(indentation -> source.replaceAll("(?m)^ {" + indentation + "}", ""))
                .anyMatch(text -> text.contains("\n" + example));
    }
}
