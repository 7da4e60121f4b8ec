// SPDX-License-Identifier: Apache-2.0
package dev.forebay.lab.server;

import dev.forebay.lab.sql.Judgement;
import dev.forebay.lab.sql.Kind;
import dev.forebay.lab.sql.Refusal;
import dev.forebay.lab.sql.Statement;
import dev.forebay.lab.sql.TransactionRules;
import dev.forebay.lab.sql.TransactionRules.State;
import dev.forebay.wire.Reply;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of one session, as Aurora DSQL has them, on a PostgreSQL that has others. Used on one event loop.
 *
 * <h2>How conflicts come to COMMIT</h2>
 *
 * PostgreSQL in REPEATABLE READ finds a conflict at the statement, or waits. Here nothing waits: the backend's lock timeout
 * makes an error of it. Every statement that writes or locks runs after a savepoint. If another transaction is in its way,
 * it is undone, the transaction is doomed, and the client is told what it would have been told by Aurora DSQL: how many rows
 * the statement matches in its snapshot. The doomed transaction goes on and fails at its COMMIT.
 *
 * <h2>How a statement without BEGIN is held back</h2>
 *
 * What writes outside of a transaction is given one, unseen, so that the limits can be looked at before it is committed.
 */
final class Work {

    private static final String SAVEPOINT = "forebay";

    private final Session session;
    private final Catalog catalog;
    private final TransactionRules rules;
    private @Nullable Failure doom;
    private long catalogVersion;
    private boolean changedCatalog;

    Work(Session session, Catalog catalog, TransactionRules rules) {
        this.session = session;
        this.catalog = catalog;
        this.rules = rules;
    }

    State state() {
        return rules.state();
    }

    /** What the client is told about where it stands. */
    char status() {
        return switch (rules.state()) {
            case IDLE, IMPLICIT -> 'I';
            case OPEN -> 'T';
            case FAILED -> 'E';
        };
    }

    boolean isDoomed() {
        return doom != null;
    }

    // ---- asking

    /** Why {@code statement}, which is admitted, must not run now; null if it may. */
    @Nullable
    Failure refusal(Statement statement) {
        return rules.before(statement, session.now()).map(Work::failure).orElse(null);
    }

    boolean mayRun(Statement statement) {
        return rules.before(statement, session.now()).isEmpty();
    }

    /** Why {@code statement} must not run now; asks PostgreSQL where the profile needs to know. */
    void admit(Statement statement, Consumer<@Nullable Failure> then) {
        Failure aborted = rules.state() == State.FAILED ? refusal(statement) : null;
        if (aborted != null) {
            then.accept(aborted);
            return;
        }
        Judgement judgement = session.profile().judge(statement);
        if (judgement.refusal().isPresent()) {
            then.accept(failure(judgement.refusal().get()));
        } else {
            check(judgement, 0, refused -> then.accept(refused != null ? refused : refusal(statement)));
        }
    }

    private void check(Judgement judgement, int index, Consumer<@Nullable Failure> then) {
        if (index == judgement.checks().size()) {
            then.accept(null);
            return;
        }
        var check = judgement.checks().get(index);
        query(check.sql(), Answers.of(Answers.End.READY, answers -> {
            if ("t".equals(answers.value())) {
                then.accept(failure(check.ifTrue()));
            } else {
                check(judgement, index + 1, then);
            }
        }));
    }

    static Failure failure(Refusal refusal) {
        return new Failure(refusal.sqlState(), refusal.message(), refusal.hint());
    }

    // ---- beginning and ending

    /** An explicit transaction; {@code sql} is the client's BEGIN. */
    void begin(String sql, Consumer<Answers> then) {
        ByteBuf kept = session.backend().buffer();
        query(sql, Answers.keep(Answers.End.READY, kept, answers -> {
            if (answers.failure() == null) {
                begun();
            }
            then.accept(answers);
        }));
    }

    /** A BEGIN of the client's is on its way. */
    void begun() {
        started();
        rules.begin(session.now());
    }

    private void started() {
        if (rules.state() == State.IDLE) {
            catalogVersion = catalog.version();
            changedCatalog = false;
            doom = null;
            session.inTransaction(true);
        }
    }

    /** Whether what is about to write has to be given a transaction of its own. */
    private boolean beginsUnseen() {
        boolean begins = rules.state() == State.IDLE;
        if (begins) {
            started();
            rules.beginImplicit(session.now());
        }
        return begins;
    }

    /** Ends the transaction with a COMMIT; the failure is that of a COMMIT that came to nothing, the tag that of one that did not. */
    void commit(Ended then) {
        if (rules.state() == State.IDLE || rules.state() == State.FAILED) {
            String tag = rules.state() == State.IDLE ? "COMMIT" : "ROLLBACK";
            rollback(() -> then.ended(null, tag));
            return;
        }
        Failure failure = atCommit();
        if (failure == null) {
            apply(null, then);
        } else if (failure.isApplied()) {
            apply(failure, then);
        } else {
            rollback(() -> then.ended(failure, ""));
        }
    }

    private @Nullable Failure atCommit() {
        Optional<Refusal> refusal = rules.atCommit(session.now());
        if (refusal.isPresent()) {
            return failure(refusal.get());
        }
        if (doom != null) {
            return doom;
        }
        if (catalogVersion != catalog.version()) {
            return Failure.CATALOG_CONFLICT;
        }
        return session.commitFault();
    }

    private void apply(@Nullable Failure told, Ended then) {
        query("COMMIT", Answers.of(Answers.End.READY, answers -> {
            Failure failed = answers.failure();
            if (failed == null && changedCatalog) {
                catalog.changed();
            }
            ended();
            session.committed(failed == null ? told : failed);
            then.ended(failed == null ? told : failed.isInTheWay() ? Failure.DATA_CONFLICT : failed, "COMMIT");
        }));
    }

    /** Ends the transaction, if there is one, without a trace. */
    void rollback(Runnable then) {
        query("ROLLBACK", Answers.of(Answers.End.READY, answers -> {
            Failure lost = doom;
            ended();
            if (lost != null) {
                session.committed(lost);
            }
            then.run();
        }));
    }

    private void ended() {
        rules.end();
        doom = null;
        session.inTransaction(false);
    }

    /** An error was given to the client: an explicit transaction is failed, an unseen one is over. */
    void fail(Runnable then) {
        if (rules.state() == State.IMPLICIT) {
            rollback(then);
        } else {
            rules.fail();
            then.run();
        }
    }

    /** Hears how a COMMIT ended. */
    interface Ended {
        void ended(@Nullable Failure failure, String tag);
    }

    // ---- statements that write or lock

    /** Runs {@code statement}, sent as a Query; the buffer in the outcome is to be sent to the client or released. */
    void run(Statement statement, Consumer<Outcome> then) {
        Exchange exchange = writing();
        ByteBuf kept = session.backend().buffer();
        Answers[] ran = new Answers[1];
        exchange.query("SAVEPOINT " + SAVEPOINT)
                .query(session.sql(statement), Answers.keep(Answers.End.READY, kept, answers -> ran[0] = answers))
                .query(
                        "RELEASE SAVEPOINT " + SAVEPOINT,
                        Answers.of(Answers.End.READY, released -> ran(statement, null, ran[0], then))
                                .whenDropped(() -> {
                                    if (ran[0] != null) {
                                        ran[0].kept().release();
                                    }
                                }))
                .send();
    }

    /** Runs the portal of a client; as {@link #run}. */
    void execute(Prepared.Portal portal, int maxRows, Consumer<Outcome> then) {
        Exchange exchange = new Exchange(session.backend());
        if (beginsUnseen()) {
            exchange.command("BEGIN");
        }
        ByteBuf kept = session.backend().buffer();
        exchange.command("SAVEPOINT " + SAVEPOINT)
                .execute(
                        portal.name(),
                        maxRows,
                        Answers.keep(
                                Answers.End.STATEMENT, kept, answers -> ran(portal.statement(), portal, answers, then)))
                .command("RELEASE SAVEPOINT " + SAVEPOINT)
                .flush()
                .send();
    }

    /** As {@link #run} for a COPY, whose data come from the client meanwhile: a conflict fails it at once. */
    void copyIn(Statement statement, Consumer<Outcome> then) {
        writing()
                .query(session.sql(statement), copied(statement, Answers.End.READY, then))
                .send();
    }

    /** An exchange in which the transaction is begun that is given to what writes without one. */
    Exchange writing() {
        Exchange exchange = new Exchange(session.backend());
        if (beginsUnseen()) {
            exchange.query("BEGIN");
        }
        return exchange;
    }

    /** As {@link #execute} for a COPY. */
    void copyIn(Prepared.Portal portal, int maxRows, Consumer<Outcome> then) {
        Exchange exchange = new Exchange(session.backend());
        if (beginsUnseen()) {
            exchange.command("BEGIN");
        }
        exchange.execute(portal.name(), maxRows, copied(portal.statement(), Answers.End.STATEMENT, then))
                .flush()
                .send();
    }

    /** The client is told that a COPY is done once the limits have been looked at. */
    private Answers copied(Statement statement, Answers.End end, Consumer<Outcome> then) {
        Answers.Passing allButTheEnd = (type, payload) -> {
            if (type != 'C') {
                session.pass(type, payload);
            }
        };
        return Answers.pass(end, allButTheEnd, session::copying, answers -> {
            Failure failed = answers.failure();
            Failure failure = failed == null
                    ? wrote(statement, answers.rows(), session.copiedBytes())
                    : failed.isInTheWay() ? conflict() : failed;
            then.accept(
                    failure == null
                            ? new Outcome(null, complete(answers.tag()), answers.tag())
                            : Outcome.failed(failure));
        });
    }

    /** A statement has written so many rows; why it must not have, if so. */
    @Nullable
    Failure wrote(Statement statement, long rows, long bytes) {
        changedCatalog |= statement.isDdl();
        return rules.after(statement, rows, bytes).map(Work::failure).orElse(null);
    }

    private void ran(Statement statement, Prepared.@Nullable Portal portal, Answers answers, Consumer<Outcome> then) {
        Failure failure = answers.failure();
        if (failure == null) {
            long bytes = portal == null ? statement.text().length() : portal.bytes();
            Failure limit = wrote(statement, answers.rows(), bytes);
            if (limit != null) {
                answers.kept().release();
                then.accept(Outcome.failed(limit));
            } else {
                then.accept(statement
                        .iamGrant()
                        .map(tag -> instead(answers, tag))
                        .orElseGet(() -> new Outcome(null, answers.kept(), answers.tag())));
            }
            return;
        }
        answers.kept().release();
        if (!failure.isInTheWay()) {
            then.accept(Outcome.failed(failure));
        } else if (statement.isDdl()) {
            then.accept(Outcome.failed(Failure.CATALOG_CONFLICT));
        } else {
            doom(statement, portal, then);
        }
    }

    /** An answer of ours to what PostgreSQL was sent in other words. */
    private Outcome instead(Answers answers, String tag) {
        answers.kept().release();
        return new Outcome(null, complete(tag), tag);
    }

    private void doom(Statement statement, Prepared.@Nullable Portal portal, Consumer<Outcome> then) {
        if (doom == null) {
            doom = conflict();
        }
        Exchange exchange = new Exchange(session.backend());
        if (portal == null) {
            exchange.query("ROLLBACK TO SAVEPOINT " + SAVEPOINT);
        } else { // a Query would cost the client its statement without a name
            exchange.sync(Answers.ignore(Answers.End.READY)).command("ROLLBACK TO SAVEPOINT " + SAVEPOINT);
        }
        Optional<String> matching = statement.matching();
        if (matching.isEmpty()) {
            exchange.send();
            then.accept(new Outcome(null, told(statement, 0), tag(statement, 0)));
            return;
        }
        if (portal == null) {
            exchange.query(matching.get(), matched(statement, then)).send();
            return;
        }
        exchange.describe(
                        portal.prepared().name(),
                        Answers.of(
                                Answers.End.READY,
                                described -> new Exchange(session.backend())
                                        .queryWith(
                                                matching.get(),
                                                described.types(),
                                                portal.bind(),
                                                matched(statement, then))
                                        .send()))
                .send();
    }

    private Failure conflict() {
        return catalogVersion == catalog.version() ? Failure.DATA_CONFLICT : Failure.CATALOG_CONFLICT;
    }

    private Answers matched(Statement statement, Consumer<Outcome> then) {
        return Answers.keep(
                Answers.End.READY, session.backend().buffer(), answers -> matched(statement, answers, then));
    }

    /** What it would have matched is known: rows for who wanted to lock them, a number for who wanted to write. */
    private void matched(Statement statement, Answers answers, Consumer<Outcome> then) {
        if (answers.failure() == null && statement.kind() == Kind.LOCKING_SELECT) {
            then.accept(new Outcome(null, answers.kept(), answers.tag()));
            return;
        }
        answers.kept().release();
        if (answers.failure() != null) {
            new Exchange(session.backend())
                    .query("ROLLBACK TO SAVEPOINT " + SAVEPOINT)
                    .send();
        }
        String count = answers.value();
        long rows = answers.failure() != null || count == null ? 0 : Long.parseLong(count);
        then.accept(new Outcome(null, told(statement, rows), tag(statement, rows)));
    }

    private ByteBuf told(Statement statement, long rows) {
        return complete(tag(statement, rows));
    }

    private ByteBuf complete(String tag) {
        ByteBuf out = session.backend().buffer();
        Reply.commandComplete(out, tag);
        return out;
    }

    private static String tag(Statement statement, long rows) {
        return switch (statement.kind()) {
            case INSERT -> "INSERT 0 " + rows;
            case UPDATE -> "UPDATE " + rows;
            case DELETE -> "DELETE " + rows;
            default -> "SELECT " + rows;
        };
    }

    private void query(String sql, Answers answers) {
        new Exchange(session.backend()).query(sql, answers).send();
    }

    /**
     * What came of a statement.
     *
     * @param failure why it failed, null if it did not
     * @param answers what the client is to be told, if it did not
     */
    record Outcome(@Nullable Failure failure, @Nullable ByteBuf answers, String tag) {

        static Outcome failed(Failure failure) {
            return new Outcome(failure, null, "");
        }
    }
}
