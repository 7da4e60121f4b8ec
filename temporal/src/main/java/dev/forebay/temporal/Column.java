// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A column of a {@link Table}. Immutable.
 *
 * @param name its name
 * @param type its type, as DDL writes it
 * @param isKey whether it is part of the primary key
 * @param isNullable whether it may be null
 * @param byDefault its default as DDL writes it, empty if it has none
 */
record Column(String name, String type, boolean isKey, boolean isNullable, String byDefault) {

    static Column integer(String name) {
        return of(name, "INTEGER");
    }

    static Column bigint(String name) {
        return of(name, "BIGINT");
    }

    static Column smallint(String name) {
        return of(name, "SMALLINT");
    }

    static Column uuid(String name) {
        return of(name, "UUID");
    }

    static Column text(String name) {
        return varchar(name, 255);
    }

    static Column varchar(String name, int length) {
        return of(name, "VARCHAR(" + length + ")");
    }

    static Column bytes(String name) {
        return of(name, "BYTEA");
    }

    static Column bool(String name) {
        return of(name, "BOOLEAN");
    }

    static Column timestamp(String name) {
        return of(name, "TIMESTAMP");
    }

    private static Column of(String name, String type) {
        return new Column(name, type, false, false, "");
    }

    Column nullable() {
        return new Column(name, type, isKey, true, byDefault);
    }

    Column orElse(String value) {
        return new Column(name, type, isKey, isNullable, value);
    }

    /** These columns as a key. */
    static List<Column> key(Column... columns) {
        return key(List.of(), columns);
    }

    /** These columns after those of {@code first} as a key. */
    static List<Column> key(List<Column> first, Column... columns) {
        return Stream.concat(first.stream(), Arrays.stream(columns))
                .map(column -> new Column(column.name, column.type, true, false, column.byDefault))
                .toList();
    }

    /** The columns of a blob: its bytes and their encoding. */
    static List<Column> blob(String name) {
        return List.of(bytes(name), encoding(name));
    }

    /** The column of a blob's encoding. */
    static Column encoding(String name) {
        return varchar(name + "_encoding", 16);
    }

    /** The text in CREATE TABLE. */
    String ddl() {
        return name + " " + type + (isNullable ? "" : " NOT NULL")
                + (byDefault.isEmpty() ? "" : " DEFAULT " + byDefault);
    }
}
