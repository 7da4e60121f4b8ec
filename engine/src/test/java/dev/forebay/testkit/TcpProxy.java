// SPDX-License-Identifier: Apache-2.0
package dev.forebay.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * A network that can be cut: it forwards bytes to a PostgreSQL server, and cuts a connection when told to, or around its
 * COMMIT. It knows a COMMIT by its text, so a driver must not send it as a prepared statement ({@code prepareThreshold=0}).
 */
public final class TcpProxy implements AutoCloseable {

    /** What becomes of a COMMIT. */
    public enum AtCommit {
        /** It passes. */
        PASS,
        /** The connection is cut before the server has heard of it. */
        LOSE_THE_REQUEST,
        /** The connection is cut when the server has answered, before the client hears of that. */
        LOSE_THE_ANSWER
    }

    private static final String COMMIT = "COMMIT";

    private final ServerSocket listener;
    private final int serverPort;
    private final Supplier<AtCommit> atCommit;
    private final List<Link> links = new CopyOnWriteArrayList<>();

    /** Before the server at {@code serverPort}; {@code atCommit} is asked at every COMMIT, on several threads. */
    public TcpProxy(int serverPort, Supplier<AtCommit> atCommit) {
        this.serverPort = serverPort;
        this.atCommit = atCommit;
        try {
            listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("accept", this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Cuts one connection, whichever it is; tells whether there was one. */
    public boolean cutOne(RandomGenerator random) {
        List<Link> now = List.copyOf(links);
        if (now.isEmpty()) {
            return false;
        }
        now.get(random.nextInt(now.size())).cut();
        return true;
    }

    @Override
    public void close() {
        closeQuietly(listener);
        links.forEach(Link::cut);
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, "tcp-proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            Socket client = null;
            try {
                client = listener.accept();
                Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), serverPort));
                links.add(link);
                if (listener.isClosed()) {
                    link.cut(); // it came while the others were being cut
                }
                start("requests", link::forwardRequests);
                start("answers", link::forwardAnswers);
            } catch (IOException e) {
                closeQuietly(client); // closed, or no server: the client hears of it as it would of a broken network
            }
        }
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            if (closeable != null) {
                closeable.close();
            }
        } catch (Exception e) {
            throw new IllegalStateException("a socket cannot be closed", e);
        }
    }

    /** One connection through the proxy. */
    private final class Link {
        private final Socket client;
        private final Socket server;
        private volatile boolean losesTheAnswer;

        Link(Socket client, Socket server) throws IOException {
            this.client = client;
            this.server = server;
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
        }

        void cut() {
            links.remove(this);
            closeQuietly(client);
            closeQuietly(server);
        }

        void forwardRequests() {
            byte[] buffer = new byte[8_192];
            String tail = "";
            try {
                InputStream in = client.getInputStream();
                OutputStream out = server.getOutputStream();
                for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                    String text = tail + new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
                    AtCommit now = text.contains(COMMIT) ? atCommit.get() : AtCommit.PASS;
                    if (now == AtCommit.LOSE_THE_REQUEST) {
                        break;
                    }
                    losesTheAnswer = now == AtCommit.LOSE_THE_ANSWER;
                    tail = text.contains(COMMIT)
                            ? ""
                            : text.substring(Math.max(0, text.length() - COMMIT.length() + 1));
                    out.write(buffer, 0, length);
                    out.flush();
                }
            } catch (IOException e) {
                losesTheAnswer = true; // one side is gone; the other side is cut below
            }
            cut();
        }

        void forwardAnswers() {
            byte[] buffer = new byte[8_192];
            try {
                InputStream in = server.getInputStream();
                OutputStream out = client.getOutputStream();
                for (int length = in.read(buffer); length >= 0 && !losesTheAnswer; length = in.read(buffer)) {
                    out.write(buffer, 0, length);
                    out.flush();
                }
            } catch (IOException e) {
                losesTheAnswer = true; // one side is gone; the other side is cut below
            }
            cut();
        }
    }
}
