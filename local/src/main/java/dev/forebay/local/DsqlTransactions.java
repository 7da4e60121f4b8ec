// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.local.sql.Judgement;
import dev.forebay.local.sql.Kind;
import dev.forebay.local.sql.SqlRefusal;
import dev.forebay.local.sql.Statement;
import dev.forebay.local.sql.TransactionRules;
import dev.forebay.local.sql.TransactionRules.State;
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
 * A write outside of a transaction is given one, unseen, so that the limits can be checked before it is committed.
 *
 * <h2>Why the client is not lied to</h2>
 *
 * The commands that are ours can fail as the client's can, by a cancel most of all. {@link Backend} keeps a client's cancel away from
 * them, except from what is sent together with the statement; an administrator's ({@code pg_cancel_backend}) hits anything. What
 * always holds:
 *
 * <ol>
 *   <li>A statement is answered once its savepoint is released. If the release fails, PostgreSQL has given the transaction up, so the
 *       statement has failed.
 *   <li>No statement is sent as a Query before its unseen BEGIN has succeeded: alone, it would be committed by itself. In the extended
 *       protocol it is skipped if what comes before it fails.
 *   <li>A COMMIT is reported if PostgreSQL says COMMIT. One that it answers with ROLLBACK has failed.
 *   <li>A transaction that is over for the client is over in PostgreSQL: a ROLLBACK that fails is repeated, and a COMMIT that fails
 *       inside of a transaction is followed by one.
 *   <li>A check that fails is a failure, not an answer of no.
 * </ol>
 */
final class DsqlTransactions {

    private static final String SAVE = "SAVEPOINT forebay";
    private static final String RELEASE = "RELEASE SAVEPOINT forebay";
    private static final String UNDO = "ROLLBACK TO SAVEPOINT forebay";

    /** More cancels in a row than anyone can aim at a ROLLBACK, which takes microseconds. */
    private static final int MOST_ROLLBACKS = 1000;

    private static final Failure ROLLED_BACK =
            new Failure("25P02", "the transaction had been aborted: COMMIT has rolled it back");

    private final Session session;
    private final Catalog catalog;
    private final TransactionRules rules;
    private @Nullable Failure doom;
    private long catalogVersion;
    private boolean changedCatalog;

    DsqlTransactions(Session session, Catalog catalog, TransactionRules rules) {
        this.session = session;
        this.catalog = catalog;
        this.rules = rules;
    }

    State state() {
        return rules.state();
    }

    /** The transaction status that the client is told. */
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

    /** Returns why {@code statement}, which is admitted, must not run now; null if it may. */
    @Nullable
    Failure refusal(Statement statement) {
        return rules.before(statement, session.now())
                .map(DsqlTransactions::failure)
                .orElse(null);
    }

    boolean mayRun(Statement statement) {
        return rules.before(statement, session.now()).isEmpty();
    }

    /** Returns why {@code statement} must not run now; asks PostgreSQL where the profile needs to know. */
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
            if (answers.failure() != null) {
                then.accept(answers.failure());
            } else if ("t".equals(answers.value())) {
                then.accept(failure(check.ifTrue()));
            } else {
                check(judgement, index + 1, then);
            }
        }));
    }

    static Failure failure(SqlRefusal refusal) {
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

    /** A BEGIN of the client's is done. */
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

    /** Gives what is about to write a transaction, unless it has one. */
    void beginUnseen(Runnable then, Consumer<Failure> failed) {
        if (!beginsUnseen()) {
            then.run();
            return;
        }
        query("BEGIN", Answers.of(Answers.End.READY, answers -> {
            if (answers.failure() == null) {
                then.run();
            } else {
                failed.accept(answers.failure());
            }
        }));
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
        Optional<SqlRefusal> refusal = rules.atCommit(session.now());
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
            boolean rolledBack = answers.failure() == null && !answers.tag().equals("COMMIT");
            Failure failed = rolledBack ? ROLLED_BACK : answers.failure();
            if (failed == null) {
                if (changedCatalog) {
                    catalog.changed();
                }
                committed(told, then);
                return;
            }
            Failure reported = failed.isInTheWay() ? Failure.DATA_CONFLICT : failed;
            if (answers.isInTransaction()) {
                giveUp(MOST_ROLLBACKS, () -> committed(reported, then));
            } else {
                committed(reported, then);
            }
        }));
    }

    private void committed(@Nullable Failure failure, Ended then) {
        ended();
        session.committed(failure);
        then.ended(failure, "COMMIT");
    }

    /** Ends the transaction, if there is one, without a trace. */
    void rollback(Runnable then) {
        giveUp(MOST_ROLLBACKS, () -> {
            Failure lost = doom;
            ended();
            if (lost != null) {
                session.committed(lost);
            }
            then.run();
        });
    }

    private void giveUp(int attempts, Runnable then) {
        query("ROLLBACK", Answers.of(Answers.End.READY, answers -> {
            if (answers.failure() == null) {
                then.run();
            } else if (attempts > 1) {
                giveUp(attempts - 1, then);
            } else {
                throw new IllegalStateException("bug: a ROLLBACK failed: " + answers.failure());
            }
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
        beginUnseen(
                () -> {
                    Saved saved = new Saved(statement, null, then);
                    ByteBuf kept = session.backend().buffer();
                    new Exchange(session.backend())
                            .query(SAVE, Answers.of(Answers.End.READY, saved::began))
                            .query(
                                    session.sql(statement),
                                    Answers.keep(Answers.End.READY, kept, saved::ran)
                                            .cancellable())
                            .query(
                                    RELEASE,
                                    Answers.of(Answers.End.READY, saved::released)
                                            .whenDropped(saved::drop))
                            .send();
                },
                failure -> then.accept(Outcome.failed(failure)));
    }

    /** Runs the portal of a client; as {@link #run}. */
    void execute(Prepared.Portal portal, int maxRows, Consumer<Outcome> then) {
        Saved saved = new Saved(portal.statement(), portal, then);
        ByteBuf kept = session.backend().buffer();
        beginning(then)
                .command(SAVE, failing(then), () -> {})
                .flush() // else it is answered with the statement, which until then would not be known to run
                .execute(
                        portal.name(),
                        maxRows,
                        Answers.keep(Answers.End.STATEMENT, kept, saved::executed)
                                .cancellable())
                .command(RELEASE, saved::released, saved::drop)
                .flush()
                .send();
    }

    /** An exchange of the extended protocol in which an unseen transaction is begun, if one is needed. */
    private Exchange beginning(Consumer<Outcome> then) {
        Exchange exchange = new Exchange(session.backend());
        return beginsUnseen() ? exchange.command("BEGIN", failing(then), () -> {}) : exchange;
    }

    /** Ends with a command's failure, if it has failed. */
    private static Consumer<Answers> failing(Consumer<Outcome> then) {
        return answers -> {
            if (answers.failure() != null) {
                then.accept(Outcome.failed(answers.failure()));
            }
        };
    }

    /** As {@link #run} for a COPY, whose data come from the client meanwhile: a conflict fails it at once. */
    void copyIn(Statement statement, Consumer<Outcome> then) {
        beginUnseen(
                () -> query(session.sql(statement), copied(statement, Answers.End.READY, then)),
                failure -> then.accept(Outcome.failed(failure)));
    }

    /** As {@link #execute} for a COPY. */
    void copyIn(Prepared.Portal portal, int maxRows, Consumer<Outcome> then) {
        beginning(then)
                .flush()
                .execute(portal.name(), maxRows, copied(portal.statement(), Answers.End.STATEMENT, then))
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
                })
                .cancellable();
    }

    /** A statement has written so many rows; why it must not have, if so. */
    @Nullable
    Failure wrote(Statement statement, long rows, long bytes) {
        changedCatalog |= statement.isDdl();
        return rules.after(statement, rows, bytes)
                .map(DsqlTransactions::failure)
                .orElse(null);
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
        Optional<String> matching = statement.matching();
        undo(
                portal,
                () -> {
                    if (matching.isEmpty()) {
                        then.accept(new Outcome(null, told(statement, 0), tag(statement, 0)));
                    } else if (portal == null) {
                        query(matching.get(), matched(statement, null, then));
                    } else {
                        match(matching.get(), statement, portal, then);
                    }
                },
                then);
    }

    /** Undoes what was done after the savepoint. */
    private void undo(Prepared.@Nullable Portal portal, Runnable done, Consumer<Outcome> then) {
        Answers undone = Answers.of(Answers.End.READY, answers -> {
            if (answers.failure() == null) {
                done.run();
            } else {
                then.accept(Outcome.failed(answers.failure()));
            }
        });
        Exchange exchange = new Exchange(session.backend());
        if (portal == null) {
            exchange.query(UNDO, undone).send();
        } else { // a Query would cost the client its statement without a name
            exchange.sync(Answers.ignore(Answers.End.READY))
                    .commandAndSync(UNDO, undone)
                    .send();
        }
    }

    private void match(String sql, Statement statement, Prepared.Portal portal, Consumer<Outcome> then) {
        Answers described = Answers.of(Answers.End.READY, types -> {
            if (types.failure() != null) {
                then.accept(Outcome.failed(types.failure()));
                return;
            }
            new Exchange(session.backend())
                    .queryWith(sql, types.types(), portal.bind(), matched(statement, portal, then))
                    .send();
        });
        new Exchange(session.backend())
                .describe(portal.prepared().name(), described)
                .send();
    }

    private Failure conflict() {
        return catalogVersion == catalog.version() ? Failure.DATA_CONFLICT : Failure.CATALOG_CONFLICT;
    }

    private Answers matched(Statement statement, Prepared.@Nullable Portal portal, Consumer<Outcome> then) {
        return Answers.keep(
                        Answers.End.READY,
                        session.backend().buffer(),
                        answers -> matched(statement, portal, answers, then))
                .cancellable();
    }

    /** Answers a doomed statement: with the matching rows if it locks, with their count if it writes. */
    private void matched(
            Statement statement, Prepared.@Nullable Portal portal, Answers answers, Consumer<Outcome> then) {
        Failure failure = answers.failure();
        if (failure == null && statement.kind() == Kind.LOCKING_SELECT) {
            then.accept(new Outcome(null, answers.kept(), answers.tag()));
            return;
        }
        answers.kept().release();
        if (failure == null) {
            String count = answers.value();
            long rows = count == null ? 0 : Long.parseLong(count);
            then.accept(new Outcome(null, told(statement, rows), tag(statement, rows)));
        } else if (failure.isCancel()) {
            then.accept(Outcome.failed(failure));
        } else {
            undo(portal, () -> then.accept(new Outcome(null, told(statement, 0), tag(statement, 0))), then);
        }
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

    /** A statement between a savepoint and its release, when it counts as done. */
    private final class Saved {

        private final Statement statement;
        private final Prepared.@Nullable Portal portal;
        private final Consumer<Outcome> then;
        private @Nullable Failure atBegin;
        private @Nullable Answers ran;

        /** Whether there will be no answer to the release. */
        private boolean dropped;

        Saved(Statement statement, Prepared.@Nullable Portal portal, Consumer<Outcome> then) {
            this.statement = statement;
            this.portal = portal;
            this.then = then;
        }

        /** Remembers how the savepoint went; without it the statement, sent as a Query, fails too. */
        void began(Answers answers) {
            atBegin = answers.failure();
        }

        void ran(Answers answers) {
            ran = answers;
        }

        /** As {@link #ran} in the extended protocol, where PostgreSQL skips the release after an error. */
        void executed(Answers answers) {
            if (dropped) {
                DsqlTransactions.this.ran(statement, portal, answers, then);
            } else {
                ran = answers;
            }
        }

        void released(Answers answers) {
            Answers known = ran;
            Failure failure = atBegin != null ? atBegin : answers.failure();
            boolean ofItsOwn = known != null && known.failure() != null && atBegin == null;
            if (known != null && (failure == null || ofItsOwn)) {
                DsqlTransactions.this.ran(statement, portal, known, then);
                return;
            }
            drop();
            if (failure == null) {
                throw new IllegalStateException("bug: a savepoint was released before its statement was answered");
            }
            then.accept(Outcome.failed(failure));
        }

        void drop() {
            dropped = true;
            if (ran != null) {
                ran.kept().release();
                ran = null;
            }
        }
    }

    /**
     * The outcome of a statement.
     *
     * @param failure why it failed, null if it did not
     * @param answers the answers for the client, if it did not
     */
    record Outcome(@Nullable Failure failure, @Nullable ByteBuf answers, String tag) {

        static Outcome failed(Failure failure) {
            return new Outcome(failure, null, "");
        }
    }
}
