// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** The README's example, as it stands there. */
final class ReadmeExample {

    private ReadmeExample() {}

    // spotless:off
    static String run(String url, Tokens tokens) throws SQLException {
        ForebayConfig config = ForebayConfig.builder()
                .mode(ForebayConfig.Mode.RESERVOIR)
                .serviceName("orders")
                .targetReady(20)                          // connections kept ready
                .baseLifetime(Duration.ofMinutes(11))     // replaced before they get this old
                .connectionRateLimit(10)                  // opened a second, at most
                .build();
        try (ForebayDataSource dataSource = ForebayDataSource.builder()
                .config(config)
                .url(url)
                .user("postgres")
                .password(tokens::fresh)                  // asked for each new connection
                .build()) {                               // returns when the reservoir is filled
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT 'a connection in nanoseconds'")) {
                rows.next();
                return rows.getString(1);
            }
        }
    }
    // spotless:on

    /** Makes passwords that expire. */
    interface Tokens {
        String fresh();
    }
}
