// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Finding F11: arguments that cannot be used are named, with what was perhaps meant. */
class WrongArgumentsTest {

    private static final String AT = " --endpoint abcdefghijklmnopqrstuvwxyz.dsql.us-east-1.on.aws";

    private static String refused(String... arguments) {
        StringWriter err = new StringWriter();
        int code = Forebay.commands().setErr(new PrintWriter(err)).execute(arguments);
        assertEquals(2, code, err.toString());
        assertEquals(1, err.toString().lines().count(), err.toString());
        return err.toString();
    }

    @ParameterizedTest
    @CsvSource({
        "demmo, there is no command 'demmo'; did you mean demo?",
        "consol, there is no command 'consol'; did you mean console?",
        "tables creat, there is no command 'creat'; did you mean create?",
        "local --prot=1, there is no option --prot; did you mean --port?",
        "console --admin-prot 1, there is no option --admin-prot; did you mean --admin-port?",
        "token --durations 1h, there is no option --durations; did you mean --duration?",
        "--versoin, there is no option --versoin; did you mean --version?"
    })
    void theNearestIsSuggested(String line, String said) {
        String message = refused(line.split(" "));
        assertTrue(message.contains(said), message);
    }

    @Test
    void nothingIsSuggestedWhereNothingIsNear() {
        String message = refused("frobnicate");
        assertFalse(message.contains("did you mean"), message);
        assertTrue(message.contains("there is no command 'frobnicate'"), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"token" + AT, "tables check --table t" + AT, "tables policy --table t --account 1" + AT})
    void aRegionWithoutANameIsRefused(String line) {
        String[] words = (line + " --region ").split(" ", -1);
        String message = refused(words);
        assertTrue(message.contains("--region must be like us-east-1: ''"), message);
    }
}
