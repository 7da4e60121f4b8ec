// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One statement of an administrator. Immutable. What came in options may be secret and is shown by none of them. */
sealed interface AdminStatement {

    /** A server is defined: {@code CREATE SERVER}. */
    record CreateServer(
            String name,
            boolean ifNotExists,
            @Nullable String type,
            @Nullable String version,
            String wrapper,
            List<Option> options)
            implements AdminStatement {}

    /** A server's definition is changed: {@code ALTER SERVER … OPTIONS}. */
    record AlterServer(String name, @Nullable String version, List<Option> changes) implements AdminStatement {}

    /** A server is given to another: {@code ALTER SERVER … OWNER TO}. */
    record ChangeOwner(String name, String owner) implements AdminStatement {}

    /** A server gets another name: {@code ALTER SERVER … RENAME TO}. */
    record RenameServer(String name, String newName) implements AdminStatement {}

    /** A server's definition ends: {@code DROP SERVER}; with its mappings if {@code cascade}. */
    record DropServer(String name, boolean ifExists, boolean cascade) implements AdminStatement {}

    /** Who someone is on a server: {@code CREATE USER MAPPING}. */
    record CreateMapping(Who who, String server, boolean ifNotExists, List<Option> options) implements AdminStatement {}

    /** The same, changed: {@code ALTER USER MAPPING}. */
    record AlterMapping(Who who, String server, List<Option> changes) implements AdminStatement {}

    /** The same, ended: {@code DROP USER MAPPING}. */
    record DropMapping(Who who, String server, boolean ifExists) implements AdminStatement {}

    /** Something is done at once: {@code CALL sys.warmup_pool('s', 2)}. The arguments are texts, whatever they were. */
    record Call(String procedure, List<String> arguments) implements AdminStatement {}

    /** {@code PAUSE}, {@code RESUME} or {@code RECONNECT}, of a server or of all. */
    record Control(Verb verb, @Nullable String server) implements AdminStatement {

        enum Verb {
            PAUSE,
            RESUME,
            RECONNECT
        }
    }

    /** Anything else: a question for the views, or for PostgreSQL's catalogue, or a mistake. */
    record Query(String text) implements AdminStatement {}

    /**
     * Whom a mapping is for.
     *
     * @param name the local user; null for the one who asks
     * @param isPublic whether it is for everyone who has none
     */
    record Who(@Nullable String name, boolean isPublic) {}

    /**
     * An option of a server or a mapping.
     *
     * @param change what becomes of it
     * @param key its name, in lower case unless it was quoted
     * @param value its value; null if it is dropped
     * @param position where its name stands in the text, from 1
     */
    record Option(Change change, String key, @Nullable String value, int position) {

        enum Change {
            SET,
            ADD,
            DROP
        }

        /** Without the value. */
        @Override
        public String toString() {
            return change + " " + key;
        }
    }
}
