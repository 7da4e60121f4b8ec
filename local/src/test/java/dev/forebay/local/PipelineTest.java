// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.forebay.local.sql.Profile;
import dev.forebay.wire.Conversation;
import dev.forebay.wire.Request;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A session's knowledge of its statements after a pipeline, which is PostgreSQL's. */
class PipelineTest {

    private static final int HEAD = 5;

    private final Map<String, Prepared> statements = new HashMap<>();
    private final Map<String, Prepared.Portal> portals = new HashMap<>();
    private final Pipeline pipeline = new Pipeline(Profile.SEPTEMBER_2026, statement -> true, statements, portals);

    @Test
    void whatIsPreparedIsKnownBehindItAtOnceAndToTheSessionOnceItIsAnswered() {
        assertTrue(takes(out -> Request.writeParse(out, "name", "SELECT 1")));
        assertTrue(takes(out -> Request.writeBind(out, "portal", "name")));
        assertTrue(takes(out -> Request.writeExecute(out, "portal", 0)));
        assertEquals(Set.of(), statements.keySet());
        pipeline.answered((byte) '1');
        assertEquals(Set.of("name"), statements.keySet());
        assertEquals(Set.of(), portals.keySet());
        pipeline.answered((byte) '2');
        assertEquals(Set.of("portal"), portals.keySet());
    }

    @Test
    void whatIsClosedIsForgotten() {
        takes(out -> Request.writeParse(out, "name", "SELECT 1"));
        takes(out -> Request.writeBind(out, "portal", "name"));
        takes(out -> Request.writeClose(out, true, "portal"));
        takes(out -> Request.writeClose(out, false, "name"));
        "1233".chars().forEach(type -> pipeline.answered((byte) type));
        assertEquals(Set.of(), statements.keySet());
        assertEquals(Set.of(), portals.keySet());
    }

    @Test
    void whatWritesIsNotPassedOnAndNeitherIsWhatIsBoundToIt() {
        assertFalse(takes(out -> Request.writeParse(out, "name", "DELETE FROM t")));
        assertFalse(takes(out -> Request.writeBind(out, "", "name")));
    }

    private boolean takes(Consumer<ByteBuf> message) {
        ByteBuf out = Unpooled.buffer();
        message.accept(out);
        byte type = out.getByte(0);
        return pipeline.takes(new Conversation.Message(type, ByteBufUtil.getBytes(out.skipBytes(HEAD))));
    }
}
