// SPDX-License-Identifier: Apache-2.0
package dev.forebay.lab.server;

import dev.forebay.wire.Request;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** Requests that go to PostgreSQL at once, each with who takes its answers. */
final class Exchange {

    /** What our own statements and portals are called there. */
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

    /** A command of ours, whatever comes of it. */
    Exchange query(String sql) {
        return query(sql, Answers.ignore(Answers.End.READY));
    }

    /** A command of ours that leaves the client's portals alone, which a Query does not. */
    Exchange command(String sql) {
        Request.writeParse(out, OWN, sql);
        Request.writeBind(out, OWN, OWN);
        Request.writeExecute(out, OWN, 0);
        closeOwn();
        takers.add(Answers.sure(Answers.End.ONE));
        takers.add(Answers.sure(Answers.End.ONE));
        takers.add(Answers.sure(Answers.End.STATEMENT));
        takers.add(Answers.sure(Answers.End.ONE));
        takers.add(Answers.sure(Answers.End.ONE));
        return this;
    }

    /** A query of ours with the values of a client's Bind; the last of its answers is that of the Sync after it. */
    Exchange queryWith(String sql, byte[] types, Request.Bind values, Answers answers) {
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

    /** A message of the client's as it is. */
    Exchange message(Frame frame, Answers answers) {
        frame.write(out);
        takers.add(answers);
        return this;
    }

    /** A message of the client's whose answers are taken together with those of others: see {@link #answered}. */
    Exchange more(Frame frame) {
        frame.write(out);
        return this;
    }

    /** Who takes the answers to all that was added without. */
    Exchange answered(Answers answers) {
        takers.add(answers);
        return this;
    }

    Exchange parse(Request.Parse parse, Answers answers) {
        Request.writeParse(out, parse);
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
