// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.local.sql.Kind;
import dev.forebay.local.sql.Script;
import dev.forebay.local.sql.Statement;
import dev.forebay.local.sql.TransactionRules.State;
import dev.forebay.wire.Conversation;
import dev.forebay.wire.Conversation.Message;
import dev.forebay.wire.Reply;
import dev.forebay.wire.Request;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The extended protocol of one session: prepared statements, portals, pipelines.
 *
 * <p>Messages up to a Sync that only read are passed on in one go, and PostgreSQL answers them. Otherwise each is done by itself.
 */
final class Extended implements Conversation.Handler {

    private static final String JOB_COLUMN = "job_id";

    private final Session session;
    private final DsqlTransactions work;
    private final Map<String, Prepared> statements = new HashMap<>();
    private final Map<String, Prepared.Portal> portals = new HashMap<>();

    /** Messages that are done one at a time, up to one that cannot be passed on: checking all of them for each would take long. */
    private int oneByOne;

    Extended(Session session, DsqlTransactions work) {
        this.session = session;
        this.work = work;
    }

    // ---- whole pipelines that only read

    /**
     * Passes the next messages on, up to the Sync that is there, if all of them only read; returns whether it did.
     *
     * @param next takes the first of them
     */
    boolean passOn(Conversation conversation, Supplier<Message> next) {
        if (oneByOne > 0
                || conversation.isSkipping()
                || work.state() == State.FAILED
                || work.state() == State.IMPLICIT
                || work.isDoomed()) {
            return false;
        }
        Pipeline pipeline = new Pipeline(session.profile(), work::mayRun, statements, portals);
        int length = 0;
        boolean complete = false;
        for (Iterator<Message> messages = conversation.waiting().iterator();
                messages.hasNext() && !complete;
                length++) {
            Message message = messages.next();
            complete = message.type() == 'S';
            if (!complete && !pipeline.takes(message)) {
                oneByOne = length + 1;
                return false;
            }
        }
        if (!complete) {
            return false;
        }
        Exchange exchange = new Exchange(session.backend());
        for (int i = 0; i < length; i++) {
            exchange.more(next.get());
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

    private void one() {
        oneByOne = Math.max(0, oneByOne - 1);
    }

    @Override
    public void turn() {
        session.turn();
    }

    @Override
    public void arrived(char type) {
        session.arrived(type);
    }

    @Override
    public void query(String sql) {
        new SimpleQuery(session, work, sql).run();
    }

    @Override
    public void parse(Request.Parse parse) {
        one();
        Statement statement = only(parse.sql());
        if (statement == null) { // nothing at all, or several, which PostgreSQL refuses
            pass(out -> Request.writeParse(out, parse), passing(Answers.End.ONE));
            return;
        }
        work.admit(statement, refusal -> {
            if (refusal != null) {
                fail(refusal);
                return;
            }
            Request.Parse rewritten = new Request.Parse(parse.name(), session.sql(statement), parse.types());
            Prepared prepared = new Prepared(parse.name(), statement);
            pass(
                    out -> Request.writeParse(out, rewritten),
                    passing(Answers.End.ONE, () -> statements.put(parse.name(), prepared)));
        });
    }

    @Override
    public void bind(Request.Bind bind) {
        one();
        Prepared prepared = statements.get(bind.statement());
        Prepared.Portal portal = prepared == null ? null : Prepared.Portal.of(bind, prepared);
        Answers answers = passing(Answers.End.ONE, () -> {
            if (portal != null) {
                portals.put(portal.name(), portal);
            }
        });
        pass(
                out -> Request.writeBind(out, bind),
                prepared != null && prepared.isPlanned() ? answers.planning() : answers);
    }

    @Override
    public void describe(Request.Named named) {
        one();
        Prepared prepared = named.portal() ? ofPortal(named.name()) : statements.get(named.name());
        if (prepared == null || !prepared.statement().isAsync()) {
            pass(out -> Request.writeDescribe(out, named.portal(), named.name()), passing(Answers.End.DESCRIPTION));
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

    @Override
    public void close(Request.Named named) {
        one();
        var known = named.portal() ? portals : statements;
        // Not before PostgreSQL has forgotten it: one that it still knew would be executed unchecked.
        pass(
                out -> Request.writeClose(out, named.portal(), named.name()),
                passing(Answers.End.ONE, () -> known.remove(named.name())));
    }

    @Override
    public void execute(Request.Execute execute) {
        one();
        Prepared.Portal portal = portals.get(execute.portal());
        if (portal == null) {
            passExecute(execute, passing(Answers.End.STATEMENT));
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
                    passExecute(execute, passing(Answers.End.STATEMENT).cancellable());
                } else {
                    work.execute(portal, execute.maxRows(), outcome -> executed(statement, outcome));
                }
            }
        }
    }

    private void passExecute(Request.Execute execute, Answers answers) {
        pass(out -> Request.writeExecute(out, execute.portal(), execute.maxRows()), answers);
    }

    private void executed(Statement statement, DsqlTransactions.Outcome outcome) {
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
            session.skip();
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

    @Override
    public void sync() {
        oneByOne = 0;
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

    private void pass(Consumer<ByteBuf> message, Answers answers) {
        new Exchange(session.backend()).message(message, answers).flush().send();
    }

    private Answers passing(Answers.End end) {
        return passing(end, () -> {});
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
        session.skip();
        leave(() -> work.fail(session::next));
    }
}
