// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Values as they are on the wire, in text and in binary. Stateless. */
final class Values {

    private static final Instant EPOCH = Instant.parse("2000-01-01T00:00:00Z");
    private static final Set<String> TRUE = Set.of("t", "true", "y", "yes", "on", "1");
    private static final Set<String> FALSE = Set.of("f", "false", "n", "no", "off", "0");
    private static final double EXACT = 1e15;

    private static final DateTimeFormatter TIMESTAMP = new DateTimeFormatterBuilder()
            .appendPattern("uuuu-MM-dd HH:mm:ss")
            .appendFraction(ChronoField.MICRO_OF_SECOND, 0, 6, true)
            .appendOffset("+HH:mm", "+00")
            .toFormatter(Locale.ROOT);

    private static final DateTimeFormatter TIMESTAMP_READ = new DateTimeFormatterBuilder()
            .appendPattern("uuuu-MM-dd[ ]['T']HH:mm[:ss]")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .optionalStart()
            .appendOffset("+HH:mm", "Z")
            .optionalEnd()
            .optionalStart()
            .appendOffset("+HHmm", "Z")
            .optionalEnd()
            .optionalStart()
            .appendOffset("+HH", "Z")
            .optionalEnd()
            .toFormatter(Locale.ROOT);

    private Values() {}

    // ---- to the client

    static byte @Nullable [] encode(@Nullable Object value, Answer.Type type, boolean binary, ZoneId zone) {
        if (value == null) {
            return null;
        }
        return binary ? binary(value, type) : text(value, zone).getBytes(StandardCharsets.UTF_8);
    }

    private static String text(Object value, ZoneId zone) {
        if (value instanceof Boolean truth) {
            return truth ? "t" : "f";
        }
        if (value instanceof Double number) {
            boolean whole = Math.rint(number) == number && Math.abs(number) < EXACT;
            return whole ? Long.toString(number.longValue()) : number.toString();
        }
        if (value instanceof Instant at) {
            return TIMESTAMP.format(at.truncatedTo(ChronoUnit.MICROS).atZone(zone));
        }
        return value.toString();
    }

    private static byte[] binary(Object value, Answer.Type type) {
        return switch (type) {
            case BOOL -> new byte[] {(byte) ((Boolean) value ? 1 : 0)};
            case INT4 ->
                ByteBuffer.allocate(4).putInt(((Number) value).intValue()).array();
            case INT8 ->
                ByteBuffer.allocate(8).putLong(((Number) value).longValue()).array();
            case FLOAT8 ->
                ByteBuffer.allocate(8).putDouble(((Number) value).doubleValue()).array();
            case TIMESTAMPTZ ->
                ByteBuffer.allocate(8)
                        .putLong(ChronoUnit.MICROS.between(EPOCH, (Instant) value))
                        .array();
            case TEXT -> value.toString().getBytes(StandardCharsets.UTF_8);
        };
    }

    // ---- from the client

    /** Returns a parameter's value; its type is text if {@code oid} is not known. */
    static @Nullable Object decode(byte @Nullable [] bytes, int oid, boolean binary) throws AdminException {
        if (bytes == null) {
            return null;
        }
        try {
            return binary
                    ? ofBinary(ByteBuffer.wrap(bytes), oid)
                    : ofText(new String(bytes, StandardCharsets.UTF_8), oid);
        } catch (NumberFormatException | DateTimeException e) {
            throw new AdminException("22P02", "invalid input for a parameter of type " + oid, 0, e);
        } catch (java.nio.BufferUnderflowException e) {
            throw new AdminException("22P03", "incorrect binary data format in a parameter", 0, e);
        }
    }

    private static Object ofText(String text, int oid) throws AdminException {
        String plain = text.strip();
        return switch (oid) {
            case 16 -> truth(plain);
            case 20, 21, 23, 26 -> Long.valueOf(plain);
            case 700, 701 -> Double.valueOf(plain);
            case 1700 -> new BigDecimal(plain);
            case 1082 -> LocalDate.parse(plain);
            case 1114, 1184 -> instant(plain);
            default -> text;
        };
    }

    private static Boolean truth(String text) throws AdminException {
        String lower = text.toLowerCase(Locale.ROOT);
        if (!TRUE.contains(lower) && !FALSE.contains(lower)) {
            throw new AdminException("22P02", "invalid input syntax for type boolean");
        }
        return TRUE.contains(lower);
    }

    private static Instant instant(String text) {
        var parsed = TIMESTAMP_READ.parseBest(text, OffsetDateTime::from, java.time.LocalDateTime::from);
        return parsed instanceof OffsetDateTime at
                ? at.toInstant()
                : ((java.time.LocalDateTime) parsed).toInstant(ZoneOffset.UTC);
    }

    private static Object ofBinary(ByteBuffer in, int oid) throws AdminException {
        Object value = switch (oid) {
            case 16 -> in.get() != 0;
            case 20 -> in.getLong();
            case 21 -> (long) in.getShort();
            case 23 -> (long) in.getInt();
            case 26 -> Integer.toUnsignedLong(in.getInt());
            case 700 -> (double) in.getFloat();
            case 701 -> in.getDouble();
            case 1082 -> LocalDate.of(2000, 1, 1).plusDays(in.getInt());
            case 1114, 1184 -> EPOCH.plus(in.getLong(), ChronoUnit.MICROS);
            case 1700 -> numeric(in);
            case 2950 -> new UUID(in.getLong(), in.getLong()).toString();
            case 0, 18, 19, 25, 705, 1042, 1043 -> rest(in);
            default -> throw new AdminException("0A000", "parameters of type " + oid + " are taken in text only");
        };
        if (in.hasRemaining()) {
            throw new AdminException("22P03", "incorrect binary data format in a parameter");
        }
        return value;
    }

    private static String rest(ByteBuffer in) {
        byte[] bytes = new byte[in.remaining()];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Reads PostgreSQL's numeric: digits in base 10,000. */
    private static BigDecimal numeric(ByteBuffer in) throws AdminException {
        int digits = Short.toUnsignedInt(in.getShort());
        int weight = in.getShort();
        int sign = Short.toUnsignedInt(in.getShort());
        int scale = Short.toUnsignedInt(in.getShort());
        if (sign != 0 && sign != 0x4000) {
            throw new AdminException("0A000", "a parameter that is not a number");
        }
        BigInteger all = BigInteger.ZERO;
        for (int i = 0; i < digits; i++) {
            all = all.multiply(BigInteger.valueOf(10_000)).add(BigInteger.valueOf(in.getShort()));
        }
        BigDecimal value = new BigDecimal(all).scaleByPowerOfTen(4 * (weight - digits + 1));
        return (sign == 0 ? value : value.negate()).setScale(scale, java.math.RoundingMode.HALF_UP);
    }
}
