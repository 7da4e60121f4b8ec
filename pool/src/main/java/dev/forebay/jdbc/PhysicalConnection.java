// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.spi.ErrorPolicy;
import dev.forebay.time.Time;
import dev.forebay.tx.ErrorMeaning;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pooled connection: the driver's, with the state to undo before the next borrower gets it.
 *
 * <p>A default is read from the driver when it is first changed, since reading may cost a round trip. It is restored in
 * autocommit mode, so that no rollback takes that back. Changes by SQL, such as a {@code SET}, go unseen; a {@code
 * BEGIN} or {@code SET autocommit} run as a statement does not where the driver knows the server's state.
 *
 * <p>Owned by its borrower, or by the pool: the pool's hand-over publishes the fields from one owner to
 * the next. During one checkout several threads may create and close statements at once.
 */
public final class PhysicalConnection {

    private static final Logger log = LoggerFactory.getLogger(PhysicalConnection.class);

    static final int AUTO_COMMIT = 1;
    static final int READ_ONLY = 1 << 1;
    static final int ISOLATION = 1 << 2;
    static final int CATALOG = 1 << 3;
    static final int SCHEMA = 1 << 4;
    static final int NETWORK_TIMEOUT = 1 << 5;
    static final int CLIENT_INFO = 1 << 6;
    static final int HOLDABILITY = 1 << 7;
    static final int TYPE_MAP = 1 << 8;
    static final int SHARDING = 1 << 9;
    static final int REQUEST = 1 << 10;
    static final int WARNINGS = 1 << 11;

    /** The borrower has reached the driver's connection, and may use it past the handle until the end of the loan. */
    private static final int EXPOSED = 1 << 12;

    /** The settings a driver may restore by a statement, which must not become part of a transaction. */
    private static final int SENT = READ_ONLY | ISOLATION | CATALOG | SCHEMA | CLIENT_INFO;

    final Connection driver;
    final SessionConfig config;
    final Time time;
    private final String name;

    private final boolean defaultAutoCommit;
    private boolean autoCommit;

    /** The state that differs, or may differ, from what the next borrower should find. */
    private int changed;

    /** The defaults below that have been read. */
    private int known;

    private boolean defaultReadOnly;
    private int defaultIsolation;
    private @Nullable String defaultCatalog;
    private @Nullable String defaultSchema;
    private int defaultNetworkTimeout;
    private int defaultHoldability;
    private @Nullable Map<String, Class<?>> defaultTypeMap;
    private @Nullable Properties defaultClientInfo;

    /** The driver cannot bound how long it waits for an answer. */
    private boolean boundless;

    /** A statement ran outside autocommit mode since the last commit or rollback. */
    private boolean inTransaction;

    /** An error showed that it is broken. */
    private volatile boolean bad;

    /** The borrower, if leak detection is on. */
    volatile @Nullable Borrower borrower;

    private final AtomicLong queries = new AtomicLong();

    private final ReentrantLock lock = new ReentrantLock();

    /** The open statements, a list through their own links. Changed under lock; whether there are any, its holder sees without. */
    private @Nullable StatementHandle firstStatement;

    /** The handle that is being closed. */
    @GuardedBy("lock")
    private @Nullable ConnectionHandle closing;

    /** The borrower and the place of its checkout. */
    record Borrower(Thread thread, Throwable stack) {}

    PhysicalConnection(Connection driver, SessionConfig config, Time time, String name) throws SQLException {
        this.driver = driver;
        this.config = config;
        this.time = time;
        this.name = name;
        this.defaultAutoCommit = driver.getAutoCommit();
        this.autoCommit = defaultAutoCommit;
    }

    // ---- what happened to it

    /** Returns whether the next borrower can have it as it is. */
    boolean isClean() {
        return changed == 0 && !inTransaction && firstStatement == null && !bad;
    }

    boolean isBad() {
        return bad;
    }

    void foundBad() {
        bad = true;
    }

    /** Decides by the error's meaning whether this connection is still good. */
    void judge(SQLException error) {
        if (bad) {
            return;
        }
        ErrorMeaning meaning = ErrorMeaning.of(error);
        if (meaning == ErrorMeaning.UNSUPPORTED) {
            return;
        }
        ErrorPolicy.Verdict verdict = verdict(error);
        bad = verdict == ErrorPolicy.Verdict.BAD
                || (verdict == ErrorPolicy.Verdict.DEFAULT && meaning == ErrorMeaning.CONNECTION_LOST);
        if (bad) {
            log.debug("{} is bad: {}", this, error.toString());
        }
    }

    private ErrorPolicy.Verdict verdict(SQLException error) {
        try {
            ErrorPolicy.Verdict verdict = config.errorPolicy().judge(error);
            if (verdict != null) {
                return verdict;
            }
            log.error("an error policy gave no verdict; the default decides");
        } catch (RuntimeException e) {
            log.error("an error policy threw; the default decides", e);
        }
        return ErrorPolicy.Verdict.DEFAULT;
    }

    /** Notes that a call is about to run that may begin a transaction. */
    void executing() {
        if (!autoCommit) {
            inTransaction = true;
        }
    }

    /** Counts a statement that began at {@code beganNanos}. */
    void executed(long beganNanos) {
        SessionConfig.QueryListener heard = config.queries();
        if (heard != null) {
            queries.incrementAndGet();
            heard.ran(time.nanos() - beganNanos);
        }
    }

    /** Returns the present time, 0 without a listener to statements. */
    long beginning() {
        return config.queries() == null ? 0 : time.nanos();
    }

    /** Returns the number of statements run on it, if its pool counts them. */
    public long queries() {
        return queries.get();
    }

    /** Returns whether a statement ran that has not been committed or rolled back. */
    public boolean isInTransaction() {
        return inTransaction;
    }

    /** Notes that the borrower has the driver's connection: from now on calls may go unseen. */
    void exposed() {
        changed |= EXPOSED | WARNINGS;
    }

    /** Notes that the transaction has ended. */
    void transactionEnded() {
        inTransaction = false;
    }

    void changed(int what) {
        changed |= what;
    }

    void unchanged(int what) {
        changed &= ~what;
    }

    // ---- statements

    /** Remembers an open statement; returns false if its connection was closed meanwhile by another thread. */
    boolean track(StatementHandle statement) {
        changed |= WARNINGS;
        lock.lock();
        try {
            if (!statement.connection.isCurrent()) {
                return false;
            }
            StatementHandle head = firstStatement;
            statement.next = head;
            if (head != null) {
                head.previous = statement;
            }
            firstStatement = statement;
            return true;
        } finally {
            lock.unlock();
        }
    }

    void forget(StatementHandle statement) {
        lock.lock();
        try {
            StatementHandle before = statement.previous;
            StatementHandle after = statement.next;
            if (before != null) {
                before.next = after;
            } else if (firstStatement == statement) {
                firstStatement = after;
            }
            if (after != null) {
                after.previous = before;
            }
            statement.previous = null;
            statement.next = null;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable StatementHandle forgetAny() {
        lock.lock();
        try {
            StatementHandle first = firstStatement;
            if (first != null) {
                forget(first);
            }
            return first;
        } finally {
            lock.unlock();
        }
    }

    // ---- settings

    void setAutoCommit(boolean on) throws SQLException {
        driver.setAutoCommit(on);
        if (on) {
            inTransaction = false; // JDBC: this commits
        }
        autoCommit = on;
        mark(AUTO_COMMIT, on != defaultAutoCommit);
    }

    void setReadOnly(boolean readOnly) throws SQLException {
        if (isNew(READ_ONLY)) {
            defaultReadOnly = driver.isReadOnly();
            known |= READ_ONLY;
        }
        driver.setReadOnly(readOnly);
        mark(READ_ONLY, readOnly != defaultReadOnly);
    }

    void setIsolation(int level) throws SQLException {
        if (isNew(ISOLATION)) {
            Integer configured = config.isolation();
            defaultIsolation = configured != null ? configured : driver.getTransactionIsolation();
            known |= ISOLATION;
        }
        driver.setTransactionIsolation(level);
        changed |= ISOLATION;
    }

    void setCatalog(@Nullable String catalog) throws SQLException {
        executing();
        if (isNew(CATALOG)) {
            defaultCatalog = config.catalog() != null ? config.catalog() : driver.getCatalog();
            known |= CATALOG;
        }
        driver.setCatalog(catalog);
        changed |= CATALOG;
    }

    void setSchema(@Nullable String schema) throws SQLException {
        executing();
        if (isNew(SCHEMA)) {
            defaultSchema = config.schema() != null ? config.schema() : driver.getSchema();
            known |= SCHEMA;
        }
        driver.setSchema(schema);
        changed |= SCHEMA;
    }

    void setNetworkTimeout(@Nullable Executor executor, int millis) throws SQLException {
        if (isNew(NETWORK_TIMEOUT)) {
            defaultNetworkTimeout = driver.getNetworkTimeout();
            known |= NETWORK_TIMEOUT;
        }
        driver.setNetworkTimeout(executor, millis);
        mark(NETWORK_TIMEOUT, millis != defaultNetworkTimeout);
    }

    void setHoldability(int holdability) throws SQLException {
        if (isNew(HOLDABILITY)) {
            defaultHoldability = driver.getHoldability();
            known |= HOLDABILITY;
        }
        driver.setHoldability(holdability);
        mark(HOLDABILITY, holdability != defaultHoldability);
    }

    void setTypeMap(Map<String, Class<?>> map) throws SQLException {
        if (isNew(TYPE_MAP)) {
            defaultTypeMap = driver.getTypeMap();
            known |= TYPE_MAP;
        }
        driver.setTypeMap(map);
        changed |= TYPE_MAP;
    }

    /** Notes that client info is about to be changed. */
    void changingClientInfo() throws SQLException {
        executing();
        if (isNew(CLIENT_INFO)) {
            Properties now = driver.getClientInfo();
            Properties copy = new Properties();
            now.stringPropertyNames().forEach(key -> copy.setProperty(key, now.getProperty(key)));
            defaultClientInfo = copy;
            known |= CLIENT_INFO;
        }
        changed |= CLIENT_INFO;
    }

    private boolean isNew(int setting) {
        return (known & setting) == 0;
    }

    private void mark(int setting, boolean differs) {
        changed = differs ? changed | setting : changed & ~setting;
    }

    // ---- the way back

    /** Claims the closing of {@code handle}; returns false for the second of two threads that close it at once. */
    boolean tryClose(ConnectionHandle handle) {
        lock.lock();
        try {
            if (closing == handle || !handle.isCurrent()) {
                return false;
            }
            closing = handle;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Restores it for the next borrower; returns false if that failed and it must be discarded. */
    boolean tryReset() {
        if (bad) {
            return false;
        }
        try {
            boolean bounded = mayHaveToSend() && bound();
            reset();
            if (bounded) {
                driver.setNetworkTimeout(Runnable::run, defaultNetworkTimeout);
            }
        } catch (SQLException | RuntimeException | Error e) {
            log.debug("{} could not be reset and is discarded", this, e);
            return false;
        }
        return !bad;
    }

    private boolean mayHaveToSend() {
        return inTransaction
                || (changed & ~WARNINGS) != 0
                || firstStatement != null
                || config.reset() != null
                || TransactionState.isOpen(driver)
                || TransactionState.autoCommit(driver, autoCommit) != autoCommit;
    }

    /** Limits the driver's wait for an answer to that of a return; returns false if it cannot. */
    private boolean bound() throws SQLException {
        if (boundless) {
            return false;
        }
        try {
            if (isNew(NETWORK_TIMEOUT)) {
                defaultNetworkTimeout = driver.getNetworkTimeout();
                known |= NETWORK_TIMEOUT;
            }
            driver.setNetworkTimeout(Runnable::run, config.resetMillis());
            unchanged(NETWORK_TIMEOUT); // it is restored last
            return true;
        } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
            log.debug("{} knows no network timeout: a return may block", this, e);
            boundless = true;
            return false;
        }
    }

    private void reset() throws SQLException {
        closeStatements();
        if (bad) {
            return;
        }
        rollBack();
        if (is(REQUEST)) {
            driver.endRequest();
        }
        if ((changed & SENT) != 0 && !autoCommit) {
            driver.setAutoCommit(true);
            autoCommit = true;
        }
        restoreSettings();
        if (autoCommit != defaultAutoCommit) {
            driver.setAutoCommit(defaultAutoCommit);
            autoCommit = defaultAutoCommit;
        }
        driver.clearWarnings();
        if (config.reset() != null) {
            config.reset().reset(driver);
        }
        changed = 0;
    }

    /** Ends whatever transaction is open, however it was begun: through the handle, past it, or by SQL. */
    private void rollBack() throws SQLException {
        boolean exposed = (changed & EXPOSED) != 0;
        if (exposed) {
            autoCommit = driver.getAutoCommit();
        }
        boolean onServer = TransactionState.autoCommit(driver, autoCommit);
        if (onServer != autoCommit) {
            driver.setAutoCommit(onServer); // SQL has changed it, and a driver may rely on its own record
            autoCommit = onServer;
        }
        if (autoCommit && TransactionState.isOpen(driver)) {
            driver.setAutoCommit(false); // drivers refuse to roll back in autocommit mode
            autoCommit = false;
            inTransaction = true;
        }
        if (!autoCommit && (inTransaction || exposed || TransactionState.isOpen(driver))) {
            driver.rollback();
        }
        inTransaction = false;
        changed &= ~EXPOSED;
    }

    private void closeStatements() {
        StatementHandle statement = forgetAny();
        while (statement != null) {
            try {
                statement.closeLeftOpen();
            } catch (SQLException e) {
                judge(e);
                log.debug("a statement left open on {} could not be closed", this, e);
            }
            statement = forgetAny();
        }
    }

    private void restoreSettings() throws SQLException {
        if (is(READ_ONLY)) {
            driver.setReadOnly(defaultReadOnly);
        }
        if (is(ISOLATION)) {
            driver.setTransactionIsolation(defaultIsolation);
        }
        if (is(CATALOG)) {
            driver.setCatalog(defaultCatalog);
        }
        if (is(SCHEMA)) {
            driver.setSchema(defaultSchema);
        }
        if (is(NETWORK_TIMEOUT)) {
            driver.setNetworkTimeout(Runnable::run, defaultNetworkTimeout);
        }
        if (is(CLIENT_INFO)) {
            driver.setClientInfo(defaultClientInfo);
        }
        if (is(HOLDABILITY)) {
            driver.setHoldability(defaultHoldability);
        }
        if (is(TYPE_MAP)) {
            driver.setTypeMap(defaultTypeMap);
        }
        if (is(SHARDING)) {
            driver.setShardingKey(null, null);
        }
    }

    private boolean is(int setting) {
        return (changed & setting) != 0;
    }

    // ---- for the connector, while it is not borrowed

    /** Returns whether the server answers. */
    boolean answers() throws SQLException {
        boolean alive;
        String sql = config.validationSql();
        if (config.resetOnCheck() && config.reset() != null) {
            config.reset().reset(driver);
        }
        if (sql == null) {
            alive = driver.isValid(config.validationSeconds());
        } else {
            try (Statement statement = driver.createStatement()) {
                statement.setQueryTimeout(config.validationSeconds());
                statement.execute(sql);
            }
            alive = true;
        }
        if (alive && !autoCommit) {
            driver.rollback(); // the check may have begun a transaction
        }
        return alive;
    }

    /** Names the pool and the connection, and no credentials. */
    @Override
    public String toString() {
        return name;
    }
}
