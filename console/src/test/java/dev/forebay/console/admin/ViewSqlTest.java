// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.h2.engine.CastDataProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Finding C6: what H2 is asked is what was checked, in H2's own reading of it. */
class ViewSqlTest {

    private static final int SEEDS = 20_000;

    private static final List<String> PIECES = List.of(
            "1",
            "2",
            "x",
            "count",
            "(",
            ")",
            "-",
            "-",
            "/",
            "/",
            "*",
            "+",
            "<",
            ">",
            "=",
            "!",
            "~",
            "|",
            "%",
            ":",
            ".",
            ",",
            "'a'",
            "'\n'",
            "'\n; 1'",
            "'*/'",
            "'/*'",
            "'--'",
            "'$$'",
            "''''",
            "'`'",
            "\"n\"",
            "\"\"\"\"",
            "\"--\"",
            "\"\n\"",
            "operator",
            "OPERATOR(",
            "OPERATOR(- -)",
            "OPERATOR(/ /)",
            "OPERATOR(/ *)",
            "OPERATOR(pg_catalog.~)",
            "1$$",
            "x$$",
            "$",
            "$1",
            "E'\\'a'",
            "from",
            "sys",
            "and",
            "::int",
            "::text");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1 OPERATOR(- -) '\n, (SELECT 2)'",
                "SELECT 1 OPERATOR(pg_catalog.- -) '\n; CREATE LOCAL TEMPORARY TABLE t AS SELECT * FROM x'",
                "SELECT 1 // '\n, 2'",
                "SELECT 1 OPERATOR(/ /) '\n, 2'",
                "SELECT 1 OPERATOR(/ *) '*/ , 2 /*' OPERATOR(* /) 3",
                "SELECT 1$$ '$$ , 2'",
                "SELECT x$$ '$$ , 2'"
            })
    void whatH2WouldReadDifferentlyIsRefused(String smuggled) {
        assertEquals(
                "42601",
                assertThrows(AdminException.class, () -> ViewSql.of(smuggled)).getSQLState());
    }

    @Test
    void h2ReadsTheSameValuesInWhateverIsAccepted() throws Exception {
        int accepted = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            String question = question(new SplittableRandom(seed));
            ViewSql written;
            try {
                written = ViewSql.of(question);
            } catch (AdminException e) {
                continue;
            }
            accepted++;
            List<String> read = readByH2(written.sql());
            if (read != null && !leavesOut(written.tokens())) {
                String about = "seed " + seed + ": " + question + " was written as " + written.sql();
                assertEquals(
                        String.join("", values(written.tokens())),
                        String.join("", read),
                        about); // H2 joins two in a row
            }
        }
        assertTrue(accepted > SEEDS / 50, "only " + accepted + " were accepted");
    }

    /** Whether a part of a key, of which there are none, is left out. */
    private static boolean leavesOut(List<SqlToken> tokens) {
        for (int i = 1; i < tokens.size(); i++) {
            if (tokens.get(i - 1).isSign(")") && tokens.get(i).isSign(".")) {
                return true;
            }
        }
        return false;
    }

    private static String question(SplittableRandom random) {
        StringBuilder question = new StringBuilder("SELECT");
        for (int i = random.nextInt(1, 7); i > 0; i--) {
            question.append(random.nextInt(3) == 0 ? "" : " ").append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return question.toString();
    }

    /** The values of the question, and whether H2 sees any others, or fewer, tells whether a quote ended elsewhere. */
    private static List<String> values(List<SqlToken> tokens) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).kind() == SqlToken.Kind.STRING) {
                boolean escaped = i > 0
                        && tokens.get(i - 1).is("e")
                        && tokens.get(i - 1).end() == tokens.get(i).start();
                String text = tokens.get(i).text();
                values.add(escaped ? text.replace("\\'", "'") : text);
            }
        }
        return values;
    }

    /** The values that H2's own tokenizer finds; null if it refuses the text. */
    private static List<String> readByH2(String sql) throws Exception {
        Class<?> tokenizer = Class.forName("org.h2.command.Tokenizer");
        Constructor<?> made =
                tokenizer.getDeclaredConstructor(CastDataProvider.class, boolean.class, boolean.class, BitSet.class);
        made.setAccessible(true);
        Method tokenize = tokenizer.getDeclaredMethod("tokenize", String.class, boolean.class, BitSet.class);
        tokenize.setAccessible(true);
        List<String> values = new ArrayList<>();
        List<?> tokens;
        try {
            tokens = (List<?>) tokenize.invoke(made.newInstance(null, true, false, null), sql, false, new BitSet());
        } catch (InvocationTargetException e) {
            return null;
        }
        for (Object token : tokens) {
            if (token.getClass().getSimpleName().equals("CharacterStringToken")) {
                Field string = token.getClass().getDeclaredField("string");
                string.setAccessible(true);
                values.add((String) string.get(token));
            }
        }
        return values;
    }
}
