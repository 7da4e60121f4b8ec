// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import dev.forebay.spi.ErrorPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The set-up of a connection, its checks and the judging of its errors. Null leaves the driver's default. Immutable.
 *
 * @param initSql run once on each new connection
 * @param autoCommit the autocommit mode borrowers find
 * @param readOnly the read-only mode borrowers find
 * @param isolation the transaction isolation borrowers find, a constant of {@link java.sql.Connection}
 * @param catalog the catalog borrowers find
 * @param schema the schema borrowers find
 * @param networkTimeout the driver's longest wait for an answer of the server; needs a driver that can
 * @param validationSql the statement to run as a check, instead of {@link java.sql.Connection#isValid}
 * @param validationTimeout the most time for a check; drivers get whole seconds, rounded up
 * @param pingOnOpen whether a new connection must answer a check before it is taken in
 * @param leakDetection whether to note each borrower's stack, for the report of a connection held too long
 * @param errorPolicy the application's own judgement of errors
 * @param queryTimeout the most time for a statement unless its borrower sets another; drivers get whole seconds
 * @param reset resets the state of a used connection that JDBC does not know of; if it throws, the connection is
 *     discarded
 * @param resetTimeout the longest wait of a return for the server's answer before the connection is discarded instead
 * @param resetOnCheck whether a check resets as well
 * @param queries told of every statement that was run
 */
public record SessionConfig(
        @Nullable String initSql,
        @Nullable Boolean autoCommit,
        @Nullable Boolean readOnly,
        @Nullable Integer isolation,
        @Nullable String catalog,
        @Nullable String schema,
        @Nullable Duration networkTimeout,
        @Nullable String validationSql,
        Duration validationTimeout,
        boolean pingOnOpen,
        boolean leakDetection,
        ErrorPolicy errorPolicy,
        @Nullable Duration queryTimeout,
        @Nullable SessionReset reset,
        Duration resetTimeout,
        boolean resetOnCheck,
        @Nullable QueryListener queries) {

    /** Everything as the driver has it. */
    public static final SessionConfig DEFAULT = builder().build();

    public SessionConfig {
        if (validationTimeout.isNegative() || validationTimeout.isZero()) {
            throw new IllegalArgumentException("validationTimeout must be positive: " + validationTimeout);
        }
        if (resetTimeout.isNegative() || resetTimeout.isZero()) {
            throw new IllegalArgumentException("resetTimeout must be positive: " + resetTimeout);
        }
        if (networkTimeout != null && (networkTimeout.isNegative() || networkTimeout.isZero())) {
            throw new IllegalArgumentException("networkTimeout must be positive: " + networkTimeout);
        }
        if (queryTimeout != null && (queryTimeout.isNegative() || queryTimeout.isZero())) {
            throw new IllegalArgumentException("queryTimeout must be positive: " + queryTimeout);
        }
    }

    /** Restores a used connection to its state when it was new. Thread-safe; may block. */
    @FunctionalInterface
    public interface SessionReset {

        /** Resets the connection, in autocommit mode where the driver knows one and with no transaction open. */
        void reset(Connection driver) throws SQLException;
    }

    /** A listener to statements. Thread-safe and quick. */
    @FunctionalInterface
    public interface QueryListener {

        /** A statement was run, successfully or not, and took {@code nanos}. */
        void ran(long nanos);
    }

    /** 0 for none. */
    int queryTimeoutSeconds() {
        return queryTimeout == null
                ? 0
                : (int) Math.min(
                        Integer.MAX_VALUE, queryTimeout.plusNanos(999_999_999).toSeconds());
    }

    int resetMillis() {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, resetTimeout.toMillis()));
    }

    int validationSeconds() {
        return (int) Math.min(
                Integer.MAX_VALUE, validationTimeout.plusNanos(999_999_999).toSeconds());
    }

    /** Returns a builder that starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects settings. Not thread-safe. */
    public static final class Builder {
        private @Nullable String initSql;
        private @Nullable Boolean autoCommit;
        private @Nullable Boolean readOnly;
        private @Nullable Integer isolation;
        private @Nullable String catalog;
        private @Nullable String schema;
        private @Nullable Duration networkTimeout;
        private @Nullable String validationSql;
        private Duration validationTimeout = Duration.ofSeconds(5);
        private boolean pingOnOpen;
        private boolean leakDetection;
        private ErrorPolicy errorPolicy = ErrorPolicy.DEFAULT;
        private @Nullable Duration queryTimeout;
        private @Nullable SessionReset reset;
        private Duration resetTimeout = Duration.ofSeconds(1);
        private boolean resetOnCheck;
        private @Nullable QueryListener queries;

        private Builder() {}

        public Builder initSql(@Nullable String sql) {
            this.initSql = sql;
            return this;
        }

        public Builder autoCommit(@Nullable Boolean autoCommit) {
            this.autoCommit = autoCommit;
            return this;
        }

        public Builder readOnly(@Nullable Boolean readOnly) {
            this.readOnly = readOnly;
            return this;
        }

        public Builder isolation(@Nullable Integer isolation) {
            this.isolation = isolation;
            return this;
        }

        public Builder catalog(@Nullable String catalog) {
            this.catalog = catalog;
            return this;
        }

        public Builder schema(@Nullable String schema) {
            this.schema = schema;
            return this;
        }

        public Builder networkTimeout(@Nullable Duration timeout) {
            this.networkTimeout = timeout;
            return this;
        }

        public Builder validationSql(@Nullable String sql) {
            this.validationSql = sql;
            return this;
        }

        public Builder validationTimeout(Duration timeout) {
            this.validationTimeout = timeout;
            return this;
        }

        public Builder pingOnOpen(boolean ping) {
            this.pingOnOpen = ping;
            return this;
        }

        public Builder leakDetection(boolean leakDetection) {
            this.leakDetection = leakDetection;
            return this;
        }

        public Builder errorPolicy(ErrorPolicy policy) {
            this.errorPolicy = policy;
            return this;
        }

        public Builder queryTimeout(@Nullable Duration timeout) {
            this.queryTimeout = timeout;
            return this;
        }

        public Builder reset(@Nullable SessionReset reset) {
            this.reset = reset;
            return this;
        }

        public Builder resetTimeout(Duration timeout) {
            this.resetTimeout = timeout;
            return this;
        }

        public Builder resetOnCheck(boolean reset) {
            this.resetOnCheck = reset;
            return this;
        }

        public Builder queries(@Nullable QueryListener listener) {
            this.queries = listener;
            return this;
        }

        /** Returns the settings, checked. */
        public SessionConfig build() {
            return new SessionConfig(
                    initSql,
                    autoCommit,
                    readOnly,
                    isolation,
                    catalog,
                    schema,
                    networkTimeout,
                    validationSql,
                    validationTimeout,
                    pingOnOpen,
                    leakDetection,
                    errorPolicy,
                    queryTimeout,
                    reset,
                    resetTimeout,
                    resetOnCheck,
                    queries);
        }
    }
}
