// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.LocalDsql;
import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code forebay token} as a program of its own. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TokenCommandIT {

    @Test
    void aTokenAndNothingElseIsPrintedAndLetsItsUserIn() throws Exception {
        try (LocalDsql dsql = LocalDsql.builder().start()) {
            Program.End end = new Program()
                    .with("AWS_ACCESS_KEY_ID", dsql.accessKey().id())
                    .with("AWS_SECRET_ACCESS_KEY", dsql.accessKey().secret())
                    .with("CLUSTER_ENDPOINT", "localhost:" + dsql.port())
                    .with("REGION", dsql.region())
                    .run("token")
                    .ends(0);
            assertEquals(1, end.out().lines().count(), end.out());
            assertEquals("", end.err());
            try (Connection connection = DriverManager.getConnection(
                    dsql.jdbcUrl(), "admin", end.out().strip())) {
                assertTrue(connection.isValid(5));
            }
        }
    }

    @Test
    void anyOtherRoleHasItsOwnKindOfTokenAndADurationOfItsOwn() throws Exception {
        program()
                .run("token", "--user", "app", "--endpoint", "one.dsql.eu-west-1.on.aws", "--duration", "1h")
                .ends(0)
                .says("one.dsql.eu-west-1.on.aws/?Action=DbConnect&")
                .says("X-Amz-Expires=3600")
                .says("eu-west-1");
    }

    @ParameterizedTest
    @CsvSource({
        "token, there is no endpoint",
        "token --endpoint localhost, the region is not part of it",
        "token --endpoint a/b, not a host",
        "token --endpoint one.dsql.eu-west-1.on.aws --duration soon, --duration=soon",
        "token --endpoint one.dsql.eu-west-1.on.aws --duration 200h, 200h",
        "token --nonsense, --nonsense"
    })
    void wrongArgumentsAreNamed(String arguments, String word) throws Exception {
        Program.End end = program().run(arguments.split(" ")).fails(2, word);
        assertEquals("", end.out());
    }

    @Test
    void withoutCredentialsThereIsNone() throws Exception {
        Program.End end = new Program()
                .run("token", "--endpoint", "one.dsql.eu-west-1.on.aws")
                .fails(1, "there are no AWS credentials to sign a token with");
        assertEquals("", end.out());
    }

    private static Program program() {
        return new Program().with("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE").with("AWS_SECRET_ACCESS_KEY", "no-secret-at-all");
    }
}
