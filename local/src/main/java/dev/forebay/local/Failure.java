// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.wire.Reply;
import dev.forebay.wire.Request;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.Map;

/**
 * An error on its way to a client. Immutable.
 *
 * @param hint may be empty
 * @param isApplied whether the COMMIT that it answers took place anyway
 * @param more the rest of PostgreSQL's error: the detail, and the names of what is concerned, by their letters in the protocol
 */
record Failure(String sqlState, String message, String hint, boolean isApplied, Map<Character, String> more) {

    /** Not where in the text it is: PostgreSQL may have been sent another. */
    private static final String MORE = "DWstcdn";

    static final Failure DATA_CONFLICT = new Failure("40001", "change conflicts with another transaction (OC000)");
    static final Failure CATALOG_CONFLICT =
            new Failure("40001", "schema has been updated by another transaction (OC001)");

    static final Failure CANCELED = new Failure("57014", "canceling statement due to user request");

    Failure(String sqlState, String message) {
        this(sqlState, message, "");
    }

    Failure(String sqlState, String message, String hint) {
        this(sqlState, message, hint, false);
    }

    Failure(String sqlState, String message, String hint, boolean isApplied) {
        this(sqlState, message, hint, isApplied, Map.of());
    }

    /** The failure in an ErrorResponse. */
    static Failure read(ByteBuf payload) {
        ByteBuf in = payload.duplicate();
        String state = "XX000";
        String message = "";
        String hint = "";
        Map<Character, String> more = new HashMap<>();
        for (byte field = in.readByte(); field != 0; field = in.readByte()) {
            String value = Request.string(in);
            switch (field) {
                case 'C' -> state = value;
                case 'M' -> message = value;
                case 'H' -> hint = value;
                default -> {
                    if (MORE.indexOf(field) >= 0) {
                        more.put((char) field, value);
                    }
                }
            }
        }
        return new Failure(state, message, hint, false, Map.copyOf(more));
    }

    /** Whether PostgreSQL found that another transaction is in the way, where Aurora DSQL would find out at COMMIT. */
    boolean isInTheWay() {
        return sqlState.equals("40001") || sqlState.equals("55P03") || sqlState.equals("40P01");
    }

    /** Whether PostgreSQL was asked to cancel what it did. */
    boolean isCancel() {
        return sqlState.equals("57014");
    }

    void write(ByteBuf out) {
        Reply.error(out, Reply.Severity.ERROR, sqlState, message, hint, more);
    }

    void writeFatal(ByteBuf out) {
        Reply.error(out, Reply.Severity.FATAL, sqlState, message, hint, more);
    }
}
