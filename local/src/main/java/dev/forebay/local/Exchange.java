// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.wire.Conversation.Message;
import dev.forebay.wire.Reply;
import dev.forebay.wire.Request;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Requests that go to PostgreSQL at once, each with who takes its answers. */
final class Exchange {

    /** The name of our own statements and portals. */
    private static final String OWN = "forebay";

    private final Backend backend;
    private final ByteBuf out;
    private final List<Backend.Taker> takers = new ArrayList<>();

    Exchange(Backend backend) {
        this.backend = backend;
        this.out = backend.buffer();
    }

    Exchange query(String sql, Answers answers) {
        Request.writeQuery(out, sql);
        takers.add(answers);
        return this;
    }

    /**
     * A command of ours that leaves the client's portals alone, which a Query does not. If it fails, PostgreSQL skips what
     * comes after it up to a Sync.
     *
     * @param then given the answers once, when it is done or has failed
     * @param dropped run if it is skipped
     */
    Exchange command(String sql, Consumer<Answers> then, Runnable dropped) {
        Consumer<Answers> ifFailed = answers -> {
            if (answers.failure() != null) {
                then.accept(answers);
            }
        };
        writeCommand(sql);
        takers.add(Answers.of(Answers.End.ONE, ifFailed));
        takers.add(Answers.of(Answers.End.ONE, ifFailed));
        takers.add(Answers.of(Answers.End.ONE, ifFailed));
        takers.add(Answers.of(Answers.End.STATEMENT, ifFailed));
        takers.add(Answers.of(Answers.End.ONE, ifFailed));
        takers.add(Answers.of(Answers.End.ONE, then).whenDropped(dropped));
        return this;
    }

    /** As {@link #command}, with a Sync after it, whose answer is the last. */
    Exchange commandAndSync(String sql, Answers answers) {
        writeCommand(sql);
        Request.writeSync(out);
        takers.add(answers);
        return this;
    }

    private void writeCommand(String sql) {
        Request.writeClose(out, false, OWN); // left over from a command that failed
        Request.writeParse(out, OWN, sql);
        Request.writeBind(out, OWN, OWN);
        Request.writeExecute(out, OWN, 0);
        closeOwn();
    }

    /** A query of ours with the values of a client's Bind; the last of its answers is that of the Sync after it. */
    Exchange queryWith(String sql, byte[] types, Request.Bind values, Answers answers) {
        Request.writeClose(out, false, OWN);
        Request.writeParse(out, new Request.Parse(OWN, sql, types));
        Request.writeBind(out, new Request.Bind(OWN, OWN, values.values()));
        Request.writeExecute(out, OWN, 0);
        closeOwn();
        Request.writeSync(out);
        takers.add(answers);
        return this;
    }

    private void closeOwn() {
        Request.writeClose(out, true, OWN);
        Request.writeClose(out, false, OWN);
    }

    /** Asks for the types of a statement's parameters. */
    Exchange describe(String statement, Answers answers) {
        Request.writeDescribe(out, false, statement);
        Request.writeSync(out);
        takers.add(answers);
        return this;
    }

    Exchange execute(String portal, int maxRows, Answers answers) {
        Request.writeExecute(out, portal, maxRows);
        takers.add(answers);
        return this;
    }

    /** A message of the client's. */
    Exchange message(Consumer<ByteBuf> message, Answers answers) {
        message.accept(out);
        takers.add(answers);
        return this;
    }

    /** A message of the client's whose answers are taken together with those of others: see {@link #answered}. */
    Exchange more(Message message) {
        Reply.raw(out, message.type(), message.payload());
        return this;
    }

    /** Adds the taker of the answers to all that was added without one. */
    Exchange answered(Answers answers) {
        takers.add(answers);
        return this;
    }

    Exchange sync(Answers answers) {
        Request.writeSync(out);
        takers.add(answers);
        return this;
    }

    /** Has PostgreSQL answer what it has done so far. */
    Exchange flush() {
        Request.writeFlush(out);
        return this;
    }

    void send() {
        backend.send(out, takers);
    }
}
