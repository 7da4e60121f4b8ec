// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A client that sends any bytes. Whoever waits for longer than its patience fails. */
final class RawClient implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 20_000;

    private final Socket socket;

    /** A message of the server's. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Message(char type, byte[] payload) {

        String text() {
            return new String(payload, StandardCharsets.UTF_8);
        }
    }

    private RawClient(Socket socket) {
        this.socket = socket;
    }

    static RawClient plain(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        return new RawClient(socket);
    }

    /** TLS after an SSLRequest. */
    static RawClient tls(int port, SSLContext context) throws IOException {
        RawClient plain = plain(port);
        plain.send(sslRequest());
        if (plain.read() != 'S') {
            throw new IOException("no TLS");
        }
        return plain.encrypted(context);
    }

    /** TLS at once, in which {@code protocols} are offered. */
    static RawClient direct(int port, SSLContext context, String... protocols) throws IOException {
        return plain(port).encrypted(context, protocols);
    }

    RawClient encrypted(SSLContext context, String... protocols) throws IOException {
        SSLSocket encrypted =
                (SSLSocket) context.getSocketFactory().createSocket(socket, "localhost", socket.getPort(), true);
        SSLParameters parameters = encrypted.getSSLParameters();
        parameters.setApplicationProtocols(protocols);
        encrypted.setSSLParameters(parameters);
        return new RawClient(encrypted);
    }

    // ---- what is sent

    static byte[] bytes(Consumer<ByteBuf> written) {
        ByteBuf out = Unpooled.buffer();
        written.accept(out);
        return ByteBufUtil.getBytes(out);
    }

    static byte[] sslRequest() {
        return bytes(out -> out.writeInt(8).writeInt(StartupPacket.SSL_REQUEST));
    }

    static byte[] startup(String user) {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("user", user);
        parameters.put("database", "postgres");
        return bytes(out -> StartupPacket.write(out, parameters));
    }

    static byte[] query() {
        return bytes(out -> Request.writeQuery(out, "SELECT 1"));
    }

    static byte[] message(char type, byte... payload) {
        return bytes(out -> out.writeByte(type).writeInt(payload.length + 4).writeBytes(payload));
    }

    RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** Nothing more is sent. */
    void end() throws IOException {
        socket.shutdownOutput();
    }

    // ---- what is heard

    int read() throws IOException {
        return socket.getInputStream().read();
    }

    Message message() throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        char type = (char) in.readUnsignedByte();
        return new Message(type, in.readNBytes(in.readInt() - 4));
    }

    /** The messages up to one of {@code type}: their types. */
    String until(char type) throws IOException {
        StringBuilder types = new StringBuilder();
        do {
            types.append(message().type());
        } while (types.charAt(types.length() - 1) != type);
        return types.toString();
    }

    /** Everything up to the end of the stream; a reset is an end too, a silence is not. */
    byte[] rest() throws IOException {
        ByteBuf all = Unpooled.buffer();
        InputStream in = socket.getInputStream();
        byte[] some = new byte[8192];
        try {
            for (int length = in.read(some); length >= 0; length = in.read(some)) {
                all.writeBytes(some, 0, length);
            }
        } catch (SSLException | SocketException | EOFException e) {
            return ByteBufUtil.getBytes(all);
        }
        return ByteBufUtil.getBytes(all);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
