// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.Map;

/** The first thing a client sends: a start-up message, or a request for encryption or cancellation. */
final class StartupPacket {

    static final int MOST_BYTES = 10_000;
    static final int VERSION_3_0 = 3 << 16;
    static final int CANCEL_REQUEST = (1234 << 16) | 5678;
    static final int SSL_REQUEST = (1234 << 16) | 5679;
    static final int GSS_REQUEST = (1234 << 16) | 5680;

    private StartupPacket() {}

    /** The settings in what follows the version. */
    static Map<String, String> parameters(ByteBuf in) {
        Map<String, String> parameters = new LinkedHashMap<>();
        while (true) {
            String name = Request.string(in);
            if (name.isEmpty()) {
                break;
            }
            parameters.put(name, Request.string(in));
        }
        if (in.isReadable()) {
            throw new ProtocolException("a start-up packet that goes on after its end");
        }
        if (!parameters.containsKey("user")) {
            throw new ProtocolException("no PostgreSQL user name specified in startup packet");
        }
        return parameters;
    }

    static void write(ByteBuf out, Map<String, String> parameters) {
        int start = out.writerIndex();
        out.writeInt(0).writeInt(VERSION_3_0);
        parameters.forEach((name, value) -> {
            Reply.string(out, name);
            Reply.string(out, value);
        });
        out.writeByte(0);
        Reply.end(out, start);
    }

    static void writeCancel(ByteBuf out, int processId, int secretKey) {
        out.writeInt(16).writeInt(CANCEL_REQUEST).writeInt(processId).writeInt(secretKey);
    }
}
