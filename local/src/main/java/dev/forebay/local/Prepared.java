// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.local.sql.Statement;
import dev.forebay.wire.Request;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/** A statement that a client has prepared, and what it called it. */
record Prepared(String name, Statement statement) {

    /** Whether it only reads, so that it can be passed on as it is. */
    boolean isPlain() {
        return isPlain(statement);
    }

    static boolean isPlain(Statement statement) {
        return switch (statement.kind()) {
            case SELECT, SHOW, SET, EXPLAIN, EMPTY, CALL, OTHER ->
                !statement.writes() && !statement.locks() && !statement.isDdl();
            default -> false;
        };
    }

    /** Whether a Bind can take long: what begins or ends a transaction needs no plan. */
    boolean isPlanned() {
        return switch (statement.kind()) {
            case BEGIN, COMMIT, ROLLBACK -> false;
            default -> true;
        };
    }

    /**
     * A portal of a client: a statement with its values.
     *
     * @param values the client's Bind, as it is on the wire
     */
    @SuppressWarnings("ArrayRecordComponent") // as above
    record Portal(String name, Prepared prepared, byte[] values) {

        static Portal of(Request.Bind bind, Prepared prepared) {
            return new Portal(bind.portal(), prepared, ByteBufUtil.getBytes(bind.values()));
        }

        Statement statement() {
            return prepared.statement;
        }

        /** The bytes it writes, about. */
        long bytes() {
            return (long) statement().text().length() + values.length;
        }

        Request.Bind bind() {
            return new Request.Bind(name, name, Unpooled.wrappedBuffer(values));
        }
    }
}
