// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stands between clients and an unencrypted PostgreSQL, and writes down every statement that goes past. Ends with the JVM. */
final class WireTap {

    private final ServerSocket listening;
    private final int serverPort;
    private final Set<String> statements = ConcurrentHashMap.newKeySet();

    private WireTap(int serverPort) throws IOException {
        this.serverPort = serverPort;
        this.listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    }

    static WireTap before(int serverPort) {
        try {
            WireTap tap = new WireTap(serverPort);
            start(tap::accept);
            return tap;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return listening.getLocalPort();
    }

    /** The texts of all statements so far, as the server got them. */
    Set<String> statements() {
        return statements;
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
            client.setTcpNoDelay(true); // else a message waits until the one before it is acknowledged, 40 ms
            server.setTcpNoDelay(true);
            start(() -> listen(client, server));
            start(() -> {
                try (client;
                        server) {
                    server.getInputStream().transferTo(client.getOutputStream());
                }
            });
        }
    }

    /** Passes on message after message; the first ones have no type. */
    private void listen(Socket client, Socket server) throws IOException {
        try (client;
                server) {
            DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
            OutputStream out = new BufferedOutputStream(server.getOutputStream());
            boolean isStarted = false;
            while (true) {
                int type = isStarted ? in.read() : 0;
                if (type < 0) {
                    return;
                }
                int length = in.readInt();
                byte[] payload = in.readNBytes(length - Integer.BYTES);
                if (isStarted) {
                    note(type, payload);
                    out.write(type);
                }
                out.write(
                        new byte[] {(byte) (length >> 24), (byte) (length >> 16), (byte) (length >> 8), (byte) length});
                out.write(payload);
                out.flush();
                isStarted =
                        isStarted || (payload[0] == 0 && payload[1] == 3); // the version, after any request to encrypt
            }
        }
    }

    private void note(int type, byte[] payload) {
        if (type == 'Q') {
            statements.add(text(payload, 0));
        } else if (type == 'P') {
            statements.add(text(payload, end(payload, 0) + 1));
        }
    }

    private static String text(byte[] payload, int from) {
        return new String(Arrays.copyOfRange(payload, from, end(payload, from)), StandardCharsets.UTF_8);
    }

    private static int end(byte[] payload, int from) {
        int end = from;
        while (payload[end] != 0) {
            end++;
        }
        return end;
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) { // one of the two has gone, and with it the other goes
                        Thread.currentThread().interrupt();
                    }
                },
                "wire-tap");
        thread.setDaemon(true);
        thread.start();
    }
}
