// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One statement of an administrator. Immutable. Values of options may be secret, and none of them shows any. */
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

    /** A local user's login on a server: {@code CREATE USER MAPPING}. */
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
     * The user a mapping is for.
     *
     * @param name the local user; null for the caller
     * @param isPublic whether it is for every user without one
     */
    record Who(@Nullable String name, boolean isPublic) {}

    /**
     * An option of a server or a mapping.
     *
     * @param change the change to it
     * @param key its name, in lower case unless it was quoted
     * @param value its value; null if it is dropped
     * @param position the position of its name in the text, from 1
     */
    record Option(Change change, String key, @Nullable String value, int position) {

        enum Change {
            SET,
            ADD,
            DROP
        }

        /** Returns it without the value. */
        @Override
        public String toString() {
            return change + " " + key;
        }
    }
}
