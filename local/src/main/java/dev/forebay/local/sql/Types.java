// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The data types that Aurora DSQL refused in September 2026: by the names PostgreSQL gives them in messages. */
final class Types {

    /** Refused in a column; PostgreSQL's other types are stored. */
    private static final Set<String> NOT_STORED = Set.of(
            ("money xml inet cidr macaddr macaddr8 point line lseg box path polygon circle tsvector tsquery bit varbit"
                            + " int4range int8range numrange tsrange tstzrange daterange int4multirange int8multirange"
                            + " nummultirange tsmultirange tstzmultirange datemultirange pg_lsn pg_snapshot txid_snapshot"
                            + " oid name xid xid8 cid tid jsonpath refcursor aclitem int2vector oidvector regclass regproc"
                            + " regprocedure regoper regoperator regtype regrole regnamespace regconfig regdictionary"
                            + " regcollation")
                    .split(" "));

    /** Refused even as the type of an expression; arrays, inet and ranges are good for that. */
    private static final Set<String> NOT_COMPUTED =
            Set.of("money", "xml", "point", "line", "lseg", "box", "path", "polygon", "circle");

    /** Short for a type and its sequence in PostgreSQL; unknown to Aurora DSQL. */
    private static final Set<String> SERIAL =
            Set.of("serial", "bigserial", "smallserial", "serial2", "serial4", "serial8");

    /** Stored, but not in an index or a key. */
    static final Set<String> NOT_KEYS = Set.of("bytea", "json", "jsonb");

    private static final Map<String, String> LONG_NAMES = Map.ofEntries(
            Map.entry("int", "integer"),
            Map.entry("int4", "integer"),
            Map.entry("int2", "smallint"),
            Map.entry("int8", "bigint"),
            Map.entry("float4", "real"),
            Map.entry("float8", "double precision"),
            Map.entry("float", "double precision"),
            Map.entry("bool", "boolean"),
            Map.entry("dec", "numeric"),
            Map.entry("decimal", "numeric"),
            Map.entry("char", "character"),
            Map.entry("nchar", "character"),
            Map.entry("bpchar", "character"),
            Map.entry("varchar", "character varying"),
            Map.entry("varbit", "bit varying"),
            Map.entry("time", "time without time zone"),
            Map.entry("timetz", "time with time zone"),
            Map.entry("timestamp", "timestamp without time zone"),
            Map.entry("timestamptz", "timestamp with time zone"));

    private Types() {}

    /**
     * A type as it was named.
     *
     * @param name PostgreSQL's name for it, as in its catalog
     * @param array whether it is an array of that
     */
    record Named(String name, boolean array) {

        /** The error for a column of this type, if it cannot be stored. */
        Optional<SqlRefusal> inColumn() {
            if (SERIAL.contains(name)) {
                return Optional.of(SqlRefusal.of("42704", "type \"" + name + "\" does not exist"));
            }
            return array || NOT_STORED.contains(name) ? Optional.of(refusal()) : Optional.empty();
        }

        /** The error for an identity column of this type. */
        SqlRefusal notIdentity() {
            return SqlRefusal.unsupported(refusal().message() + ", identity column type must be bigint");
        }

        private SqlRefusal refusal() {
            return SqlRefusal.unsupported("datatype " + shown() + (array ? "[]" : "") + " not supported");
        }

        private String shown() {
            return LONG_NAMES.getOrDefault(name, name);
        }

        boolean isBigint() {
            return !array && shown().equals("bigint");
        }
    }

    static boolean isComputed(String name) {
        return !NOT_COMPUTED.contains(name);
    }

    static SqlRefusal notSupported(String name) {
        return new Named(name, false).refusal();
    }

    static SqlRefusal notInKey(String name) {
        return SqlRefusal.unsupported("datatype " + name + " is not supported in a key");
    }

    /** Reads the type that comes next. */
    static Named read(TokenCursor words) {
        words.accept("SETOF");
        if (words.is("NATIONAL")) {
            words.skip();
        }
        String name = words.name();
        if (words.isSymbol('.')) {
            words.acceptSymbol('.');
            String schema = name;
            name = schema.equals("pg_catalog") ? words.name() : schema + "." + words.name();
        }
        boolean varying = words.accept("VARYING");
        if (name.equals("double") && words.accept("PRECISION")) {
            name = "float8";
        } else if (name.equals("character") || name.equals("char") || name.equals("nchar")) {
            name = varying ? "varchar" : "bpchar";
        } else if (name.equals("bit") && varying) {
            name = "varbit";
        }
        skipModifier(words);
        if (words.is("WITH", "TIME", "ZONE") || words.is("WITHOUT", "TIME", "ZONE")) {
            name += words.is("WITH") ? "tz" : "";
            words.accept("WITH");
            words.accept("WITHOUT");
            words.accept("TIME", "ZONE");
        }
        if (name.equals("interval")) {
            while (words.isAny("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO")) {
                words.skip();
            }
            skipModifier(words);
        }
        return new Named(name.toLowerCase(Locale.ROOT), readArray(words));
    }

    private static void skipModifier(TokenCursor words) {
        if (words.isSymbol('(')) {
            words.skip();
        }
    }

    private static boolean readArray(TokenCursor words) {
        boolean array = words.accept("ARRAY");
        while (words.isSymbol('[')) {
            array = true;
            words.skip();
        }
        return array;
    }
}
