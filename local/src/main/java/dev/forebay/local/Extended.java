// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.local.sql.Kind;
import dev.forebay.local.sql.Script;
import dev.forebay.local.sql.Statement;
import dev.forebay.local.sql.TransactionRules.State;
import dev.forebay.wire.Reply;
import dev.forebay.wire.Request;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The extended protocol of one session: prepared statements, portals, pipelines.
 *
 * <p>Messages up to a Sync that only read are passed on in one go, and PostgreSQL answers them. Otherwise each is done by itself.
 * After an error everything up to the next Sync is skipped, as PostgreSQL does.
 */
final class Extended {

    private static final String JOB_COLUMN = "job_id";

    private final Session session;
    private final Work work;
    private final Map<String, Prepared> statements = new HashMap<>();
    private final Map<String, Prepared.Portal> portals = new HashMap<>();
    private boolean skipping;

    /** So many messages are done one at a time, up to one that cannot be passed on: looking at all of them again for each would take long. */
    private int oneByOne;

    Extended(Session session, Work work) {
        this.session = session;
        this.work = work;
    }

    // ---- whole pipelines that only read

    /**
     * Passes the messages at the head of {@code inbox} on, up to the Sync that is there, if all of them only read; tells whether it did.
     *
     * @param next takes the first of them
     */
    boolean passOn(Iterable<Frame> inbox, Supplier<Frame> next) {
        if (oneByOne > 0
                || skipping
                || work.state() == State.FAILED
                || work.state() == State.IMPLICIT
                || work.isDoomed()) {
            return false;
        }
        Pipeline pipeline = new Pipeline(session.profile(), work::mayRun, statements, portals);
        int length = 0;
        boolean complete = false;
        for (Iterator<Frame> frames = inbox.iterator(); frames.hasNext() && !complete; length++) {
            Frame frame = frames.next();
            complete = frame.type() == 'S';
            if (!complete && !pipeline.takes(frame)) {
                oneByOne = length + 1;
                return false;
            }
        }
        if (!complete) {
            return false;
        }
        Exchange exchange = new Exchange(session.backend());
        for (int i = 0; i < length; i++) {
            Frame frame = next.get();
            exchange.more(frame);
            frame.release();
        }
        Answers.Passing passing = (type, payload) -> {
            pipeline.answered(type);
            session.pass(type, payload);
        };
        exchange.answered(Answers.pass(Answers.End.READY, passing, session::copying, this::synced)
                .cancellable());
        exchange.send();
        return true;
    }

    private @Nullable Prepared ofPortal(String name) {
        Prepared.Portal portal = portals.get(name);
        return portal == null ? null : portal.prepared();
    }

    private static @Nullable Statement only(String sql) {
        List<Statement> all = Script.of(sql);
        return all.size() == 1 ? all.get(0) : null;
    }

    /** The transaction has ended, and PostgreSQL has dropped its portals. */
    void forgetPortals() {
        portals.clear();
    }

    // ---- one message after the other

    void message(Frame frame) {
        oneByOne = frame.type() == 'S' ? 0 : Math.max(0, oneByOne - 1);
        if (skipping && frame.type() != 'S') {
            session.next();
            return;
        }
        switch (frame.type()) {
            case 'P' -> parse(frame);
            case 'B' -> bind(frame);
            case 'D' -> describe(frame);
            case 'E' -> execute(Request.execute(frame.payload()));
            case 'C' -> close(frame);
            case 'H' -> {
                session.flush();
                session.next();
            }
            case 'S' -> sync();
            default -> throw new IllegalStateException("bug: not a message of the extended protocol");
        }
    }

    private void parse(Frame frame) {
        Request.Parse parse = Request.parse(frame.payload());
        Statement statement = only(parse.sql());
        if (statement == null) { // nothing at all, or several, which PostgreSQL refuses
            pass(frame, Answers.End.ONE);
            return;
        }
        work.admit(statement, refusal -> {
            if (refusal != null) {
                fail(refusal);
                return;
            }
            Request.Parse rewritten = new Request.Parse(parse.name(), session.sql(statement), parse.types());
            new Exchange(session.backend())
                    .parse(
                            rewritten,
                            passing(
                                    Answers.End.ONE,
                                    () -> statements.put(parse.name(), new Prepared(parse.name(), statement))))
                    .flush()
                    .send();
        });
    }

    private void bind(Frame frame) {
        Request.Bind bind = Request.bind(frame.payload());
        Prepared prepared = statements.get(bind.statement());
        Prepared.Portal portal = prepared == null ? null : Prepared.Portal.of(bind, prepared);
        Answers answers = passing(Answers.End.ONE, () -> {
            if (portal != null) {
                portals.put(portal.name(), portal);
            }
        });
        pass(frame, prepared != null && prepared.isPlanned() ? answers.planning() : answers);
    }

    private void describe(Frame frame) {
        Request.Named named = Request.named(frame.payload());
        Prepared prepared = named.portal() ? ofPortal(named.name()) : statements.get(named.name());
        if (prepared == null || !prepared.statement().isAsync()) {
            pass(frame, Answers.End.DESCRIPTION);
            return;
        }
        ByteBuf out = session.buffer();
        if (!named.portal()) {
            Reply.parameterDescription(out, List.of());
        }
        Reply.rowDescription(out, List.of(JOB_COLUMN));
        session.tell(out);
        session.next();
    }

    private void close(Frame frame) {
        Request.Named named = Request.named(frame.payload());
        var known = named.portal() ? portals : statements;
        // Not before PostgreSQL has forgotten it: one that it still knew would be executed unchecked.
        pass(frame, Answers.End.ONE, () -> known.remove(named.name()));
    }

    private void execute(Request.Execute execute) {
        Prepared.Portal portal = portals.get(execute.portal());
        if (portal == null) {
            passExecute(execute, passing(Answers.End.STATEMENT, () -> {}));
            return;
        }
        Statement statement = portal.statement();
        Failure refusal = session.isCancelled(statement) ? Failure.CANCELED : work.refusal(statement);
        if (refusal != null) {
            fail(refusal);
            return;
        }
        switch (statement.kind()) {
            case BEGIN -> passExecute(execute, passing(Answers.End.STATEMENT, work::begun));
            case COMMIT -> leave(() -> work.commit(this::ended));
            case ROLLBACK -> leave(() -> work.rollback(() -> complete("ROLLBACK")));
            case COPY_IN -> work.copyIn(portal, execute.maxRows(), outcome -> executed(statement, outcome));
            default -> {
                if (portal.prepared().isPlain() || statement.kind() == Kind.COPY_OUT) {
                    passExecute(
                            execute, passing(Answers.End.STATEMENT, () -> {}).cancellable());
                } else {
                    work.execute(portal, execute.maxRows(), outcome -> executed(statement, outcome));
                }
            }
        }
    }

    private void passExecute(Request.Execute execute, Answers answers) {
        new Exchange(session.backend())
                .execute(execute.portal(), execute.maxRows(), answers)
                .flush()
                .send();
    }

    private void executed(Statement statement, Work.Outcome outcome) {
        if (outcome.failure() != null) {
            fail(outcome.failure());
            return;
        }
        ByteBuf answers = outcome.answers();
        if (!statement.isAsync() || answers == null) {
            session.tell(answers);
            session.next();
            return;
        }
        answers.release();
        session.jobs().add(session, statement, job -> started(statement, job), this::fail);
    }

    private void started(Statement statement, String job) {
        ByteBuf out = session.buffer();
        Reply.dataRow(out, List.of(job));
        Reply.commandComplete(out, Jobs.tag(statement));
        session.tell(out);
        session.next();
    }

    /** A COMMIT or ROLLBACK goes to PostgreSQL as a Query, so the pipeline has to be brought to its end there. */
    private void leave(Runnable then) {
        new Exchange(session.backend())
                .sync(Answers.of(Answers.End.READY, answers -> then.run()))
                .send();
    }

    private void ended(@Nullable Failure failure, String tag) {
        if (failure != null) {
            session.tell(failure);
            skipping = true;
            session.next();
        } else {
            complete(tag);
        }
    }

    private void complete(String tag) {
        ByteBuf out = session.buffer();
        Reply.commandComplete(out, tag);
        session.tell(out);
        session.next();
    }

    private void sync() {
        skipping = false;
        if (work.state() == State.IMPLICIT) {
            leave(() -> work.commit((failure, tag) -> {
                if (failure != null) {
                    session.tell(failure);
                }
                session.ready();
            }));
        } else {
            new Exchange(session.backend())
                    .sync(Answers.of(Answers.End.READY, this::synced))
                    .send();
        }
    }

    /** A pipeline has ended in PostgreSQL, where what it did without BEGIN is committed only then. */
    private void synced(Answers answers) {
        Failure failure = answers.failure();
        if (failure == null) {
            session.ready();
        } else {
            session.tell(failure.isInTheWay() ? Failure.CATALOG_CONFLICT : failure);
            work.fail(session::ready);
        }
    }

    private void pass(Frame frame, Answers.End end) {
        pass(frame, end, () -> {});
    }

    private void pass(Frame frame, Answers.End end, Runnable done) {
        pass(frame, passing(end, done));
    }

    private void pass(Frame frame, Answers answers) {
        new Exchange(session.backend()).message(frame, answers).flush().send();
    }

    /** Passes the answers on, and goes on with the next message. */
    private Answers passing(Answers.End end, Runnable done) {
        return Answers.pass(end, session::pass, session::copying, answers -> {
            Failure failure = answers.failure();
            if (failure == null) {
                done.run();
                session.next();
            } else {
                fail(failure.isInTheWay() ? Failure.CATALOG_CONFLICT : failure);
            }
        });
    }

    private void fail(Failure failure) {
        session.tell(failure);
        skipping = true;
        leave(() -> work.fail(session::next));
    }
}
