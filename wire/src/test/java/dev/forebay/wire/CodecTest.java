// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class CodecTest {

    // ---- what a client sends

    @Test
    void whatIsWrittenForAServerIsReadAsItWas() {
        assertEquals("SELECT 'ü'", Request.query(payload('Q', out -> Request.writeQuery(out, "SELECT 'ü'"))));
        assertEquals("secret", Request.password(payload('p', out -> Request.writePassword(out, "secret"))));

        byte[] types = {0, 1, 0, 0, 0, 23};
        Request.Parse parse =
                Request.parse(payload('P', out -> Request.writeParse(out, new Request.Parse("s", "SELECT $1", types))));
        assertEquals("s", parse.name());
        assertEquals("SELECT $1", parse.sql());
        assertArrayEquals(types, parse.types());

        Request.Bind bind = Request.bind(payload('B', out -> Request.writeBind(out, "p", "s")));
        assertEquals("p", bind.portal());
        assertEquals("s", bind.statement());
        Request.Bind renamed =
                Request.bind(payload('B', out -> Request.writeBind(out, new Request.Bind("p2", "s2", bind.values()))));
        assertEquals("p2", renamed.portal());
        assertEquals(bind.values(), renamed.values());

        assertEquals(
                new Request.Execute("p", 5), Request.execute(payload('E', out -> Request.writeExecute(out, "p", 5))));
        assertEquals(
                new Request.Named(true, "p"), Request.named(payload('C', out -> Request.writeClose(out, true, "p"))));
        assertEquals(
                new Request.Named(false, "s"), Request.named(payload('C', out -> Request.writeClose(out, false, "s"))));
    }

    @Test
    void readingLeavesThePayloadWhereItWas() {
        ByteBuf payload = payload('Q', out -> Request.writeQuery(out, "SELECT 1"));
        Request.query(payload);
        assertEquals("SELECT 1", Request.query(payload));
    }

    @Test
    void aMessageCutShortIsRefusedWhereverItIsCut() {
        refusedWhenCut(Request::query, payload('Q', out -> Request.writeQuery(out, "SELECT 1")));
        refusedWhenCut(
                Request::parse,
                payload(
                        'P',
                        out -> Request.writeParse(out, new Request.Parse("s", "x", new byte[] {0, 1, 0, 0, 0, 23}))));
        refusedWhenCut(Request::execute, payload('E', out -> Request.writeExecute(out, "p", 5)));
        refusedWhenCut(Request::named, payload('C', out -> Request.writeClose(out, true, "p")));
    }

    private static void refusedWhenCut(Function<ByteBuf, ?> reader, ByteBuf whole) {
        for (int length = 0; length < whole.readableBytes(); length++) {
            ByteBuf cut = whole.slice(whole.readerIndex(), length);
            assertThrows(ProtocolException.class, () -> reader.apply(cut), "cut to " + length);
        }
    }

    @Test
    void bytesTooManyAreRefused() {
        refusedWithMore(Request::query, payload('Q', out -> Request.writeQuery(out, "SELECT 1")));
        refusedWithMore(Request::parse, payload('P', out -> Request.writeParse(out, "s", "x")));
        refusedWithMore(Request::execute, payload('E', out -> Request.writeExecute(out, "p", 5)));
        refusedWithMore(Request::named, payload('C', out -> Request.writeClose(out, true, "p")));
    }

    private static void refusedWithMore(Function<ByteBuf, ?> reader, ByteBuf whole) {
        ByteBuf more = Unpooled.buffer().writeBytes(whole.duplicate()).writeByte(0);
        assertThrows(ProtocolException.class, () -> reader.apply(more));
    }

    @Test
    void aBindWithoutItsNamesIsRefused() {
        assertThrows(ProtocolException.class, () -> Request.bind(text("p\0s")));
        assertThrows(ProtocolException.class, () -> Request.bind(text("p")));
    }

    @Test
    void onlyStatementsAndPortalsHaveNames() {
        assertThrows(ProtocolException.class, () -> Request.named(text("Xname\0")));
        assertThrows(ProtocolException.class, () -> Request.named(Unpooled.EMPTY_BUFFER));
    }

    // ---- the start-up packet

    @Test
    void aStartUpPacketIsReadAsItWasWritten() {
        Map<String, String> parameters = Map.of("user", "admin", "database", "postgres");
        ByteBuf out = Unpooled.buffer();
        StartupPacket.write(out, parameters);
        assertEquals(out.readableBytes(), out.readInt());
        assertEquals(StartupPacket.VERSION_3_0, out.readInt());
        assertEquals(parameters, StartupPacket.parameters(out));
    }

    @Test
    void aStartUpPacketNamesItsUserAndEnds() {
        assertThrows(ProtocolException.class, () -> StartupPacket.parameters(text("database\0x\0\0")));
        assertThrows(ProtocolException.class, () -> StartupPacket.parameters(text("user\0x\0")));
        assertThrows(ProtocolException.class, () -> StartupPacket.parameters(text("user\0")));
        assertThrows(ProtocolException.class, () -> StartupPacket.parameters(text("user\0x\0\0more")));
    }

    // ---- what a server sends

    @Test
    void anErrorHasItsFields() {
        ByteBuf payload = payload('E', out -> Reply.error(out, Reply.Severity.FATAL, "28P01", "no\0such", "try again"));
        assertEquals("SFATAL\0VFATAL\0C28P01\0Mno such\0Htry again\0\0", payload.toString(StandardCharsets.UTF_8));
        ByteBuf notice = payload('N', out -> Reply.notice(out, "00000", "by the way"));
        assertEquals("SNOTICE\0VNOTICE\0C00000\0Mby the way\0\0", notice.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aRowTellsNullFromEmpty() {
        ByteBuf row = payload('D', out -> Reply.dataRow(out, Arrays.asList("é", null, "")));
        assertEquals(3, row.readShort());
        assertEquals(2, row.readInt());
        assertEquals("é", row.readCharSequence(2, StandardCharsets.UTF_8).toString());
        assertEquals(-1, row.readInt());
        assertEquals(0, row.readInt());
        assertFalse(row.isReadable());
    }

    @Test
    void smallRepliesAreWhatTheProtocolSays() {
        assertReply("52 00000008 00000000", Reply::authenticationOk);
        assertReply("52 00000008 00000003", Reply::cleartextPassword);
        assertReply("53 00000008 6100 6200", out -> Reply.parameterStatus(out, "a", "b"));
        assertReply("4b 0000000c 00000001 00000002", out -> Reply.backendKeyData(out, 1, 2));
        assertReply("5a 00000005 49", out -> Reply.readyForQuery(out, 'I'));
        assertReply("43 00000006 5800", out -> Reply.commandComplete(out, "X"));
        assertReply("49 00000004", Reply::emptyQuery);
        assertReply("31 00000004", Reply::parseComplete);
        assertReply("32 00000004", Reply::bindComplete);
        assertReply("33 00000004", Reply::closeComplete);
        assertReply("6e 00000004", Reply::noData);
        assertReply("73 00000004", Reply::portalSuspended);
        assertReply("74 0000000a 0001 00000017", out -> Reply.parameterDescription(out, List.of(23)));
        assertReply(
                "54 0000001a 0001 6100 00000000 0000 00000019 ffff ffffffff 0000",
                out -> Reply.rowDescription(out, List.of("a")));
        assertReply("76 0000000e 00030000 00000001 7800", out -> Reply.negotiateProtocolVersion(out, List.of("x")));
    }

    private static void assertReply(String hex, Consumer<ByteBuf> writer) {
        ByteBuf out = Unpooled.buffer();
        writer.accept(out);
        assertEquals(hex.replace(" ", ""), ByteBufUtil.hexDump(out));
    }

    // ---- frames

    @Test
    void framesComeWholeHoweverTheStreamIsCut() {
        byte[] stream = RawClient.bytes(out -> {
            Request.writeQuery(out, "SELECT 1");
            Request.writeSync(out);
            Request.writeClose(out, true, "p");
        });
        for (int cut = 0; cut <= stream.length; cut++) {
            Cutter cutter = new Cutter();
            EmbeddedChannel channel = new EmbeddedChannel(cutter);
            channel.writeInbound(Unpooled.copiedBuffer(stream, 0, cut));
            channel.writeInbound(Unpooled.copiedBuffer(stream, cut, stream.length - cut));
            assertEquals(List.of("Q9", "S0", "C3"), cutter.frames, "cut at " + cut);
            channel.finishAndReleaseAll();
        }
    }

    @Test
    void aLengthShorterThanItselfIsRefused() {
        EmbeddedChannel channel = new EmbeddedChannel(new Cutter());
        DecoderException refused = assertThrows(
                DecoderException.class,
                () -> channel.writeInbound(Unpooled.buffer().writeByte('Q').writeInt(3)));
        assertTrue(refused.getCause() instanceof ProtocolException, String.valueOf(refused.getCause()));
    }

    @Test
    void aLengthBeyondTheLimitIsRefusedBeforeItsBytesCome() {
        Cutter cutter = new Cutter();
        EmbeddedChannel channel = new EmbeddedChannel(cutter);
        channel.writeInbound(Unpooled.buffer().writeByte('Q').writeInt(Integer.MAX_VALUE));
        assertEquals(List.of("too long"), cutter.frames);
        channel.finishAndReleaseAll();
    }

    @Test
    void limitsAreAboveZero() {
        assertThrows(IllegalArgumentException.class, () -> new ClientLimits(0, 100, Duration.ofSeconds(1)));
        assertThrows(IllegalArgumentException.class, () -> new ClientLimits(100, 0, Duration.ofSeconds(1)));
        assertThrows(IllegalArgumentException.class, () -> new ClientLimits(100, 100, Duration.ZERO));
    }

    private static final class Cutter extends Frames {

        final List<String> frames = new ArrayList<>();

        @Override
        int mostBytes() {
            return 100;
        }

        @Override
        void frame(ChannelHandlerContext ctx, byte type, ByteBuf payload) {
            frames.add((char) type + "" + payload.readableBytes());
        }

        @Override
        void tooLong(ChannelHandlerContext ctx) {
            frames.add("too long");
        }
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    /** The payload of the message that {@code writer} writes, once type and length are found right. */
    private static ByteBuf payload(char type, Consumer<ByteBuf> writer) {
        ByteBuf out = Unpooled.buffer();
        writer.accept(out);
        assertEquals(type, out.readByte());
        assertEquals(out.readableBytes(), out.readInt());
        return out;
    }
}
