// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * The reason that a cluster refused a connection, and the remedy.
 *
 * <p>Aurora DSQL begins most refusals with the same words, so the SQLSTATE, the message and the hint decide together.
 *
 * @param what the server's message
 * @param remedy the remedy
 */
record ConnectTrouble(String what, String remedy) {

    static ConnectTrouble of(SQLException error, String user) {
        String hint = hintOf(error);
        String message = Reason.of(error);
        String what = message + (hint == null || message.contains(hint) ? "" : " (" + hint + ")");
        return new ConnectTrouble(
                what, remedy(String.valueOf(error.getSQLState()), what.toLowerCase(Locale.ROOT), user));
    }

    private static @Nullable String hintOf(SQLException error) {
        ServerErrorMessage said = error instanceof PSQLException ours ? ours.getServerErrorMessage() : null;
        return said == null ? null : said.getHint();
    }

    private static String remedy(String state, String said, String user) {
        if (said.contains("wrong user to action mapping")) {
            return "the token is of the wrong kind: the user admin needs DbConnectAdmin, any other role DbConnect; look at"
                    + " DSQL_USER";
        }
        if (said.contains("signature expired") || said.contains("token expired")) {
            return "set the clock, or make DSQL_TOKEN_DURATION longer";
        }
        if (said.contains("not authorized")) {
            return "give the identity the policy that ./forebay tables policy prints";
        }
        if (state.equals("28000")) {
            return "as admin: CREATE ROLE " + user + " WITH LOGIN; AWS IAM GRANT " + user
                    + " TO 'the ARN of the identity'";
        }
        if (said.contains("sni was not received")) {
            return "connect by the cluster's name, not by an address, or set DSQL_CLUSTER_ID";
        }
        if (said.contains("waking up")) {
            return "the cluster was idle: try again in a minute";
        }
        return switch (state) {
            case "53400" ->
                "the cluster opens 100 connections a second: share the rate limit, restart services one by one";
            case "53300" -> "the cluster has all the connections it may have: lower the pools, or ask AWS for more";
            case "3D000" -> "a cluster has one database, postgres: look at DSQL_DATABASE";
            default ->
                said.contains("access denied")
                        ? "look at the credentials, REGION and CLUSTER_ENDPOINT: the token was signed with them"
                        : "look at the cluster's state in the AWS console";
        };
    }
}
