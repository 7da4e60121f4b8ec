// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The record of the port's statements: user, statement, outcome. Thread-safe. */
public interface Audit {

    /** Writes to the logger {@code dev.forebay.console.audit}, one line each, with the line's time. */
    Audit LOG = new Audit() {
        private final Logger log = LoggerFactory.getLogger("dev.forebay.console.audit");

        @Override
        public void said(String user, String address, String statement, String sqlState, Duration took) {
            log.info(
                    "user={} address={} sqlstate={} ms={} statement={}",
                    printable(user),
                    address,
                    sqlState,
                    took.toMillis(),
                    printable(statement));
        }

        /** Returns {@code text} as one line, whatever a client sent. */
        private String printable(String text) {
            StringBuilder line = new StringBuilder();
            text.codePoints()
                    .forEach(c -> line.appendCodePoint(
                            Character.isISOControl(c)
                                            || Character.getType(c) == Character.FORMAT
                                            || c == 0x2028
                                            || c == 0x2029
                                    ? ' '
                                    : c));
            return line.toString();
        }
    };

    /**
     * Records a statement that has ended.
     *
     * @param statement without comments and without possible secrets
     * @param sqlState {@code 00000} if it succeeded
     */
    void said(String user, String address, String statement, String sqlState, Duration took);
}
