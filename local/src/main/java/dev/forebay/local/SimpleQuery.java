// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.local.sql.Script;
import dev.forebay.local.sql.Statement;
import dev.forebay.local.sql.TransactionRules.State;
import dev.forebay.wire.Reply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;

/** A Query of a client: one statement after the other, until one fails. */
final class SimpleQuery {

    private final Session session;
    private final DsqlTransactions work;
    private final List<Statement> statements;
    private int next;

    SimpleQuery(Session session, DsqlTransactions work, String sql) {
        this.session = session;
        this.work = work;
        this.statements = Script.of(sql);
    }

    /** Runs the statements that are left, and then says that the session is ready. */
    void run() {
        if (next == statements.size()) {
            if (next == 0) {
                ByteBuf out = session.buffer();
                Reply.emptyQuery(out);
                session.tell(out);
            }
            end(() -> {});
            return;
        }
        Statement statement = statements.get(next++);
        if (session.isCancelled(statement)) {
            fail(Failure.CANCELED);
            return;
        }
        work.admit(statement, refusal -> {
            if (refusal != null) {
                fail(refusal);
            } else {
                run(statement);
            }
        });
    }

    private void run(Statement statement) {
        switch (statement.kind()) {
            case BEGIN -> begin(statement);
            case COMMIT -> commit();
            case ROLLBACK -> rollback();
            case COPY_IN -> work.copyIn(statement, outcome -> ran(statement, outcome));
            case COPY_OUT -> pass(statement);
            default -> {
                if (Prepared.isPlain(statement)) {
                    pass(statement);
                } else {
                    work.run(statement, outcome -> ran(statement, outcome));
                }
            }
        }
    }

    private void begin(Statement statement) {
        work.begin(session.sql(statement), answers -> {
            if (answers.failure() != null) {
                answers.kept().release();
                fail(answers.failure());
            } else {
                session.tell(answers.kept());
                run();
            }
        });
    }

    private void commit() {
        work.commit((failure, tag) -> {
            if (failure != null) {
                fail(failure);
            } else {
                complete(tag);
            }
        });
    }

    private void rollback() {
        work.rollback(() -> complete("ROLLBACK"));
    }

    private void complete(String tag) {
        ByteBuf out = session.buffer();
        Reply.commandComplete(out, tag);
        session.tell(out);
        run();
    }

    /** Lets PostgreSQL answer the client itself. */
    private void pass(Statement statement) {
        Answers answers = Answers.pass(Answers.End.READY, session::pass, session::copying, passed -> {
            Failure failure = passed.failure();
            if (failure == null && statement.writes()) {
                failure = work.wrote(statement, passed.rows(), 0);
            }
            if (failure == null) {
                run();
            } else {
                fail(failure.isInTheWay() ? Failure.CATALOG_CONFLICT : failure);
            }
        });
        Runnable asking = () -> new Exchange(session.backend())
                .query(session.sql(statement), answers.cancellable())
                .send();
        if (statement.writes()) {
            work.beginUnseen(asking, this::fail);
        } else {
            asking.run();
        }
    }

    private void ran(Statement statement, DsqlTransactions.Outcome outcome) {
        if (outcome.failure() != null) {
            fail(outcome.failure());
            return;
        }
        ByteBuf answers = outcome.answers();
        if (statement.isAsync() && answers != null) {
            answers.release();
            session.jobs().add(session, statement, job -> started(statement, job), this::fail);
        } else if (next == statements.size() && answers != null && work.state() == State.IMPLICIT) {
            byte[] last = ByteBufUtil.getBytes(answers); // needs no release if the answer to COMMIT never comes
            answers.release();
            end(() -> session.tell(Unpooled.wrappedBuffer(last)));
        } else {
            session.tell(answers);
            run();
        }
    }

    private void started(Statement statement, String job) {
        ByteBuf out = session.buffer();
        Reply.rowDescription(out, List.of("job_id"));
        Reply.dataRow(out, List.of(job));
        Reply.commandComplete(out, Jobs.tag(statement));
        session.tell(out);
        run();
    }

    private void fail(Failure failure) {
        session.tell(failure);
        work.fail(session::ready);
    }

    /** Commits an unseen transaction, and only then runs {@code told}: PostgreSQL calls nothing done that is not. */
    private void end(Runnable told) {
        if (work.state() != State.IMPLICIT) {
            told.run();
            session.ready();
            return;
        }
        work.commit((failure, tag) -> {
            if (failure != null) {
                session.tell(failure);
            } else {
                told.run();
            }
            session.ready();
        });
    }
}
