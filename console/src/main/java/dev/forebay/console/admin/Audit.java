// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who said what to the port, and what came of it. Thread-safe. */
public interface Audit {

    /** To the logger {@code dev.forebay.console.audit}, one line each; its time is the line's. */
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

        /** One line, whatever a client sends. */
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
     * A statement has ended.
     *
     * @param statement without comments and without what may be secret
     * @param sqlState {@code 00000} if it succeeded
     */
    void said(String user, String address, String statement, String sqlState, Duration took);
}
