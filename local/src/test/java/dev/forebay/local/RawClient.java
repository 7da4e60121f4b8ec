// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.postgresql.ds.PGSimpleDataSource;

/** A client that shows what is on the wire: tags, columns and rows as text, SQLSTATEs and messages. */
final class RawClient implements AutoCloseable {

    private static final int CANCEL_REQUEST = 80877102;
    private static final int SSL_REQUEST = 80877103;
    private static final int VERSION_3_0 = 196608;

    /** Little, so that the server soon notices a client that does not read. */
    private static final int RECEIVE_BUFFER_BYTES = 64 << 10;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private byte[] key = {};
    char status;

    /** The outcome of one statement. */
    record Answer(String tag, List<String> columns, List<List<String>> rows, String sqlState, String message) {

        boolean isError() {
            return sqlState != null;
        }
    }

    RawClient(LocalDsql dsql, String user) throws IOException, GeneralSecurityException {
        this(dsql, user, dsql.token(user, Duration.ofHours(1)));
    }

    RawClient(LocalDsql dsql, String user, String password) throws IOException, GeneralSecurityException {
        Socket plain = new Socket();
        plain.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
        plain.connect(new InetSocketAddress(dsql.host(), dsql.port()));
        plain.setSoTimeout(20_000);
        plain.setTcpNoDelay(true);
        new DataOutputStream(plain.getOutputStream())
                .write(ByteBuffer.allocate(8).putInt(8).putInt(SSL_REQUEST).array());
        if (plain.getInputStream().read() != 'S') {
            throw new IOException("no TLS");
        }
        socket = trusting(dsql).getSocketFactory().createSocket(plain, dsql.host(), dsql.port(), true);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        logIn(user, password);
    }

    private RawClient(Socket plain) throws IOException {
        plain.setSoTimeout(20_000);
        plain.setTcpNoDelay(true);
        socket = plain;
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    /** A client of the PostgreSQL behind {@code dsql}, to compare with. */
    static RawClient behind(LocalDsql dsql) throws IOException {
        PGSimpleDataSource source = (PGSimpleDataSource) dsql.behind();
        RawClient client = new RawClient(new Socket(source.getServerNames()[0], source.getPortNumbers()[0]));
        client.logIn(source.getUser(), source.getPassword());
        return client;
    }

    private void logIn(String user, String password) throws IOException {
        ByteArrayOutputStream startup = new ByteArrayOutputStream();
        startup.writeBytes(ByteBuffer.allocate(4).putInt(VERSION_3_0).array());
        for (String word : new String[] {"user", user, "database", LocalDsql.DATABASE, ""}) {
            startup.writeBytes(string(word));
        }
        out.writeInt(startup.size() + 4);
        out.write(startup.toByteArray());
        out.flush();
        send('p', string(password));
        out.flush();
        untilReady();
    }

    private static SSLContext trusting(LocalDsql dsql) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream pem = Files.newInputStream(dsql.caFile())) {
            store.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /** One Query; an answer for each statement in it, up to the first that fails. */
    List<Answer> simple(String sql) throws IOException {
        send('Q', string(sql));
        out.flush();
        return untilReady();
    }

    /** One statement by the extended protocol. */
    List<Answer> extended(String sql) throws IOException {
        return addExtended(sql).sync();
    }

    /** Adds a Query to what is to be sent. */
    RawClient addSimple(String sql) throws IOException {
        return send('Q', string(sql));
    }

    /** Adds the messages of one statement, without a Sync. */
    RawClient addExtended(String sql) throws IOException {
        return parse("", sql).bind("").describe().execute();
    }

    /** Has the server cancel what it does for this client; from any thread. */
    void cancel() throws IOException {
        try (Socket canceling = new Socket(socket.getInetAddress(), socket.getPort())) {
            canceling
                    .getOutputStream()
                    .write(ByteBuffer.allocate(16)
                            .putInt(16)
                            .putInt(CANCEL_REQUEST)
                            .put(key)
                            .array());
            canceling.getInputStream().read(); // until the server has taken it
        }
    }

    /** Adds a Parse to what is to be sent. */
    RawClient parse(String name, String sql) throws IOException {
        return send('P', string(name), string(sql), new byte[2]);
    }

    /** Adds a Bind of the portal without a name. */
    RawClient bind(String statement) throws IOException {
        return send('B', string(""), string(statement), new byte[6]);
    }

    RawClient describe() throws IOException {
        return send('D', new byte[] {'P'}, string(""));
    }

    RawClient execute() throws IOException {
        return send('E', string(""), new byte[4]);
    }

    /** Adds a Close of a statement. */
    RawClient close(String statement) throws IOException {
        return send('C', new byte[] {'S'}, string(statement));
    }

    /** Sends what was added, and a Sync. */
    List<Answer> sync() throws IOException {
        send('S');
        out.flush();
        return untilReady();
    }

    /** Sends what was added, and a Flush, but no Sync. */
    RawClient flush() throws IOException {
        send('H');
        out.flush();
        return this;
    }

    /** The types of the messages up to an error, and its SQLSTATE. */
    String upToError() throws IOException {
        StringBuilder types = new StringBuilder();
        while (true) {
            String message = next();
            types.append(message);
            if (message.startsWith("E")) {
                return types.toString();
            }
        }
    }

    /** The type of the next message, and the SQLSTATE of an error. */
    String next() throws IOException {
        char type = (char) in.readUnsignedByte();
        byte[] payload = in.readNBytes(in.readInt() - 4);
        return type == 'E' ? "E " + error(ByteBuffer.wrap(payload)).sqlState() : String.valueOf(type);
    }

    /** Waits until the server says something unasked or is gone: true if it is gone without a word. */
    boolean isLeftSilently() throws IOException {
        try {
            return in.read() < 0;
        } catch (SSLException | SocketException e) { // no farewell of TLS's either
            return true;
        }
    }

    /** Sends any bytes. */
    void raw(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /** The outcomes of all that was sent raw, up to the next time that the server is ready. */
    List<Answer> answers() throws IOException {
        return untilReady();
    }

    /** The server's answer, byte by byte. */
    DataInputStream input() {
        return in;
    }

    /** Adds any message to what is to be sent. */
    RawClient send(char type, byte[]... parts) throws IOException {
        out.write(message(type, parts));
        return this;
    }

    /** A message as it is on the wire. */
    static byte[] message(char type, byte[]... parts) {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            payload.writeBytes(part);
        }
        return ByteBuffer.allocate(payload.size() + 5)
                .put((byte) type)
                .putInt(payload.size() + 4)
                .put(payload.toByteArray())
                .array();
    }

    private List<Answer> untilReady() throws IOException {
        List<Answer> answers = new ArrayList<>();
        List<String> columns = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        while (true) {
            int type = in.read();
            if (type < 0) {
                throw new IOException("the connection was closed"
                        + (answers.isEmpty()
                                ? ""
                                : " after " + answers.get(answers.size() - 1).sqlState() + " "
                                        + answers.get(answers.size() - 1).message()));
            }
            byte[] payload = in.readNBytes(in.readInt() - 4);
            ByteBuffer buffer = ByteBuffer.wrap(payload);
            switch (type) {
                case 'Z' -> {
                    status = (char) payload[0];
                    return answers;
                }
                case 'T' -> {
                    columns = columns(buffer);
                    rows = new ArrayList<>();
                }
                case 'D' -> rows.add(row(buffer));
                case 'C' -> {
                    answers.add(new Answer(word(buffer), columns, rows, null, null));
                    columns = new ArrayList<>();
                    rows = new ArrayList<>();
                }
                case 'E' -> answers.add(error(buffer));
                case 'K' -> key = payload;
                default -> {}
            }
        }
    }

    private static List<String> columns(ByteBuffer in) {
        List<String> columns = new ArrayList<>();
        for (int count = in.getShort(); count > 0; count--) {
            columns.add(word(in));
            in.position(in.position() + 18);
        }
        return columns;
    }

    private static List<String> row(ByteBuffer in) {
        List<String> row = new ArrayList<>();
        for (int count = in.getShort(); count > 0; count--) {
            int length = in.getInt();
            if (length < 0) {
                row.add(null);
            } else {
                byte[] value = new byte[length];
                in.get(value);
                row.add(new String(value, StandardCharsets.UTF_8));
            }
        }
        return row;
    }

    private static Answer error(ByteBuffer in) {
        String state = "";
        String message = "";
        for (byte field = in.get(); field != 0; field = in.get()) {
            String value = word(in);
            if (field == 'C') {
                state = value;
            } else if (field == 'M') {
                message = value;
            }
        }
        return new Answer(null, List.of(), List.of(), state, message);
    }

    private static String word(ByteBuffer in) {
        int start = in.position();
        while (in.get() != 0) {}
        return new String(in.array(), start, in.position() - start - 1, StandardCharsets.UTF_8);
    }

    /** A string as it is on the wire. */
    static byte[] string(String text) {
        return (text + "\0").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
