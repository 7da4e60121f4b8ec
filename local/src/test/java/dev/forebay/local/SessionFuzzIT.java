// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static dev.forebay.local.RawClient.message;
import static dev.forebay.local.RawClient.string;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.forebay.model.ClusterSettings;
import dev.forebay.wire.Leaks;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Messages in any order, after the password. A session answers whatever is well-formed and closes on what is not; other
 * sessions notice nothing, none hangs and no buffer is lost.
 */
class SessionFuzzIT {

    private static final long SEED = Long.getLong("fuzz.seed", 20260901);
    private static final int ROUNDS = Integer.getInteger("fuzz.rounds", 300);
    private static final String MARKER = "4711";
    private static final String TYPES = "QPBDECHSdcf";
    private static final String[] NAMES = {"", "", "a", "b"};
    private static final String[] SQL = {
        "SELECT 1",
        "SELECT generate_series(1, 100)",
        "SELECT 1; SELECT 2",
        "",
        "nonsense",
        "SELECT 1/0",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT x",
        "INSERT INTO fuzz VALUES (1, 1) ON CONFLICT (id) DO NOTHING",
        "INSERT INTO fuzz VALUES (1, 1)",
        "UPDATE fuzz SET n = n + 1",
        "SELECT n FROM fuzz WHERE id = 1 FOR UPDATE",
        "COPY fuzz FROM STDIN",
        "COPY fuzz TO STDOUT",
        "BEGIN; UPDATE fuzz SET n = 0; COMMIT",
    };

    private static LocalDsql dsql;

    @BeforeAll
    static void start() throws IOException, GeneralSecurityException {
        dsql = LocalDsql.builder()
                .settings(ClusterSettings.builder().connectBurst(1_000_000).build())
                .start();
        try (RawClient client = new RawClient(dsql, "admin")) {
            client.simple("CREATE TABLE fuzz (id int PRIMARY KEY, n int)");
            client.simple("INSERT INTO fuzz VALUES (0, 0)");
        }
    }

    @AfterAll
    static void stop() throws IOException {
        dsql.close();
    }

    @Test
    void anyMessagesAreAnsweredOrEndTheirOwnSessionOnly() throws Exception {
        try (Leaks leaks = new Leaks();
                RawClient witness = new RawClient(dsql, "admin")) {
            String token = dsql.token("admin", Duration.ofHours(1));
            for (int round = 0; round < ROUNDS; round++) {
                converse(SEED + round, token);
                assertEquals(
                        List.of(List.of("1")), witness.simple("SELECT 1").get(0).rows());
            }
            assertEquals(List.of(), leaks.bugs());
            assertEquals(List.of(), leaks.found());
        }
    }

    private static void converse(long seed, String token) throws Exception {
        Random random = new Random(seed);
        boolean wellFormed = random.nextInt(3) > 0;
        StringBuilder told = new StringBuilder("-Dfuzz.seed=" + seed + " -Dfuzz.rounds=1:");
        try (RawClient client = new RawClient(dsql, "admin", token)) {
            ByteArrayOutputStream sent = new ByteArrayOutputStream();
            for (int count = 1 + random.nextInt(15); count > 0; count--) {
                sent.writeBytes(anything(random, told));
                if (!wellFormed && random.nextInt(4) == 0) {
                    told.append(" noise");
                    byte[] noise = new byte[random.nextInt(20)];
                    random.nextBytes(noise);
                    sent.writeBytes(message(TYPES.charAt(random.nextInt(TYPES.length())), noise));
                }
                if (random.nextInt(3) == 0) {
                    client.raw(sent.toByteArray());
                    sent.reset();
                }
            }
            sent.writeBytes(message('f', string("enough")));
            sent.writeBytes(message('S'));
            sent.writeBytes(message('Q', string("ROLLBACK")));
            sent.writeBytes(message('Q', string("SELECT " + MARKER)));
            client.raw(sent.toByteArray());
            if (random.nextInt(5) > 0) { // else it leaves without waiting for the answers
                readToMarker(client.input());
            }
        } catch (SocketTimeoutException e) {
            fail("a session hangs, " + told, e);
        } catch (SSLException | SocketException | EOFException e) {
            assertTrue(!wellFormed, () -> "a session ended without a reason, " + told + ": " + e);
        }
    }

    private static byte[] anything(Random random, StringBuilder told) {
        char type = TYPES.charAt(random.nextInt(TYPES.length()));
        String name = NAMES[random.nextInt(NAMES.length)];
        String other = NAMES[random.nextInt(NAMES.length)];
        String sql = SQL[random.nextInt(SQL.length)];
        byte[] kind = {(byte) (random.nextBoolean() ? 'S' : 'P')};
        told.append(' ').append(type);
        return switch (type) {
            case 'Q' -> {
                told.append('(').append(sql).append(')');
                yield message(type, string(sql));
            }
            case 'P' -> {
                told.append(name).append('(').append(sql).append(')');
                yield message(type, string(name), string(sql), new byte[2]);
            }
            case 'B' -> {
                told.append(name).append('-').append(other);
                yield message(type, string(name), string(other), new byte[6]);
            }
            case 'D', 'C' -> {
                told.append((char) kind[0]).append(name);
                yield message(type, kind, string(name));
            }
            case 'E' -> {
                told.append(name);
                yield message(type, string(name), new byte[] {0, 0, 0, (byte) (random.nextInt(3) * 5)});
            }
            case 'd' -> message(type, (random.nextInt(1000) + 10 + "\t1\n").getBytes(StandardCharsets.UTF_8));
            case 'f' -> message(type, string("no"));
            default -> message(type);
        };
    }

    /** Reads up to the answer to the last query. */
    private static void readToMarker(DataInputStream in) throws IOException {
        byte[] row = ByteBuffer.allocate(10)
                .putShort((short) 1)
                .putInt(4)
                .put(MARKER.getBytes(StandardCharsets.UTF_8))
                .array();
        boolean found = false;
        while (true) {
            int type = in.readUnsignedByte();
            byte[] payload = in.readNBytes(in.readInt() - 4);
            found |= type == 'D' && Arrays.equals(row, payload);
            if (found && type == 'Z') {
                return;
            }
        }
    }
}
