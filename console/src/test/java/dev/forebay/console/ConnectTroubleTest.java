// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** The prefix of the refusals is the same; SQLSTATE, message and hint make the difference. */
class ConnectTroubleTest {

    private static final String PREFIX = "unable to accept connection, ";

    @ParameterizedTest
    @CsvSource({
        "08006, access denied, 'Wrong user to action mapping. user: admin, action: DbConnect', the wrong kind",
        "08006, access denied, 'Signature expired: 20261116T050000Z is now earlier than', set the clock",
        "08006, access denied, 'User: x is not authorized to perform', ./forebay tables policy",
        "08006, access denied, , look at the credentials",
        "28000, access denied, , AWS IAM GRANT app TO",
        "53400, rate exceeded., , 100 connections a second",
        "53300, too many open connections., , lower the pools",
        "57P03, 'waking up cluster, please retry later', , try again in a minute",
        "08006, sni was not received, , DSQL_CLUSTER_ID",
        "3D000, there is no such database, , DSQL_DATABASE",
        "XX000, something else, , the cluster's state"
    })
    void eachRefusalHasItsRemedy(String state, String message, String hint, String word) {
        ConnectTrouble trouble = ConnectTrouble.of(refusal(state, PREFIX + message, hint), "app");
        assertTrue(trouble.remedy().contains(word), trouble.toString());
        assertTrue(trouble.what().contains(message), trouble.toString());
        assertTrue(hint == null || trouble.what().contains(hint), trouble.toString());
    }

    @Test
    void aHintIsSaidOnce() {
        String what = ConnectTrouble.of(refusal("08006", "no", "Signature expired: now"), "app")
                .what();
        assertEquals(what.indexOf("Signature"), what.lastIndexOf("Signature"), what);
    }

    private static PSQLException refusal(String state, String message, String hint) {
        String fields = "SFATAL\0C" + state + "\0M" + message + "\0" + (hint == null ? "" : "H" + hint + "\0") + "\0";
        return new PSQLException(new ServerErrorMessage(fields), false);
    }
}
