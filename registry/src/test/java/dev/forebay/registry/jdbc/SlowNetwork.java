// SPDX-License-Identifier: Apache-2.0
package dev.forebay.registry.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/** A network that forwards to a server on this machine and takes its time over each piece. */
final class SlowNetwork implements AutoCloseable {

    private final ServerSocket listener;
    private final int serverPort;
    private final long delayNanos;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    SlowNetwork(int serverPort, long delayNanos) {
        this.serverPort = serverPort;
        this.delayNanos = delayNanos;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "slow-network");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                sockets.add(client);
                Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                sockets.add(server);
                start(() -> forward(client, server));
                start(() -> forward(server, client));
            } catch (IOException e) {
                return; // closed, or there is no server: the client hears of it by its own timeout
            }
        }
    }

    private void forward(Socket from, Socket to) {
        byte[] buffer = new byte[8_192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                long until = System.nanoTime() + delayNanos;
                while (System.nanoTime() < until) {
                    LockSupport.parkNanos(until - System.nanoTime());
                }
                out.write(buffer, 0, length);
                out.flush();
            }
        } catch (IOException e) {
            sockets.remove(from); // one side is gone, and the other is closed with it
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
