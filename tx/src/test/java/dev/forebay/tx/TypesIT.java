// SPDX-License-Identifier: Apache-2.0
package dev.forebay.tx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.forebay.testkit.Postgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.TimeZone;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Times and UUIDs in real columns, in a JVM that does not live in UTC. */
@ResourceLock(Resources.TIME_ZONE)
class TypesIT {

    private final TimeZone before = TimeZone.getDefault();
    private Connection connection;

    @BeforeEach
    void connectFromKathmandu() throws SQLException {
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
        connection = Postgres.shared().connect();
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TEMPORARY TABLE kept (id uuid PRIMARY KEY, at timestamp, at_tz timestamptz)");
        }
    }

    @AfterEach
    void goHome() throws SQLException {
        connection.close();
        TimeZone.setDefault(before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0001-01-01T00:00:00Z",
                "1000-01-01T00:00:00.000001Z",
                "1969-12-31T23:59:59.999999Z",
                "2026-03-29T01:30:00.123456Z",
                "+294276-12-31T23:59:59.999999Z"
            })
    void aTimeIsReadAsItWasWritten(Instant time) throws SQLException {
        UUID id = new UUID(1, 2);
        insert(id, time);
        try (PreparedStatement select = connection.prepareStatement("SELECT at, at_tz FROM kept WHERE id = ?")) {
            select.setObject(1, id);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                assertEquals(time, Timestamps.fromTimestamp(row.getObject(1, LocalDateTime.class)));
                assertEquals(time, Timestamps.fromTimestamptz(row.getObject(2, OffsetDateTime.class)));
            }
        }
    }

    @Test
    void theServerHoldsUtc() throws SQLException {
        insert(new UUID(1, 2), Instant.parse("2026-03-01T12:00:00.123456789Z"));
        assertEquals("2026-03-01 12:00:00.123456", ask("SELECT at FROM kept"));
        assertEquals("2026-03-01 12:00:00.123456", ask("SELECT at_tz AT TIME ZONE 'UTC' FROM kept"));
    }

    @Test
    void theServerHoldsTheStandInForTheZeroTime() throws SQLException {
        insert(new UUID(1, 2), null);
        assertEquals("1000-01-01 00:00:00", ask("SELECT at FROM kept"));
        assertEquals("1000-01-01 00:00:00", ask("SELECT at_tz AT TIME ZONE 'UTC' FROM kept"));
    }

    /** Why there are two forms: the wrong one is moved by the offset of the JVM's zone. */
    @Test
    void theFormWithAnOffsetIsWrongForAColumnWithoutOne() throws SQLException {
        Instant time = Instant.parse("2026-03-01T12:00:00Z");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO kept (id, at) VALUES (?, ?)")) {
            insert.setObject(1, new UUID(1, 2));
            insert.setObject(2, Timestamps.toTimestamptz(time));
            insert.executeUpdate();
        }
        assertNotEquals("2026-03-01 12:00:00", ask("SELECT at FROM kept"));
    }

    @Test
    void bytesAndTextNameTheSameUuidOnTheServer() throws SQLException {
        String text = "00112233-4455-6677-8899-aabbccddeeff";
        insert(Uuids.of(text), Timestamps.ZERO);
        assertEquals(text, ask("SELECT id::text FROM kept"));
        assertEquals("00112233445566778899aabbccddeeff", ask("SELECT encode(uuid_send(id), 'hex') FROM kept"));
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT uuid_send(id), id FROM kept")) {
            row.next();
            assertEquals(row.getObject(2, UUID.class), Uuids.of(row.getBytes(1)));
        }
    }

    private void insert(UUID id, Instant time) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO kept VALUES (?, ?, ?)")) {
            insert.setObject(1, id);
            insert.setObject(2, Timestamps.toTimestamp(time));
            insert.setObject(3, Timestamps.toTimestamptz(time));
            insert.executeUpdate();
        }
    }

    private String ask(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
