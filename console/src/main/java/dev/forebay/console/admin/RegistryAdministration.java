// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.console.admin.AdminStatement.Option;
import dev.forebay.console.admin.AdminStatement.Who;
import dev.forebay.console.state.Definitions;
import dev.forebay.console.state.Definitions.Change;
import dev.forebay.console.state.KeptMapping;
import dev.forebay.console.state.KeptServer;
import dev.forebay.engine.internal.NearestName;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.Registry;
import dev.forebay.registry.RegistryError;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.ServerOption;
import dev.forebay.registry.UserMapping;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Performs an administrator's statements on a registry and its definitions, with PostgreSQL's meaning of them.
 * Thread-safe.
 *
 * <p>Statements that define something are in the file when they return; {@code PAUSE} is not: a restarted console
 * serves.
 */
final class RegistryAdministration implements Administration {

    private final Registry<?> registry;
    private final Definitions definitions;
    private final Procedures procedures;

    /** Administers {@code registry}, whose definitions are {@code definitions}. */
    RegistryAdministration(Registry<?> registry, Definitions definitions) {
        this.registry = registry;
        this.definitions = definitions;
        this.procedures = new Procedures(registry, definitions);
    }

    @Override
    public Answer perform(AdminStatement statement, String user) throws SQLException {
        if (statement instanceof AdminStatement.CreateServer create) {
            return change("CREATE SERVER", (servers, now) -> create(create, user, servers, now));
        } else if (statement instanceof AdminStatement.AlterServer alter) {
            return change("ALTER SERVER", (servers, now) -> alter(alter, servers, now));
        } else if (statement instanceof AdminStatement.ChangeOwner change) {
            return change("ALTER SERVER", (servers, now) -> changeOwner(change, servers, now));
        } else if (statement instanceof AdminStatement.RenameServer rename) {
            return change("ALTER SERVER", (servers, now) -> rename(rename, servers, now));
        } else if (statement instanceof AdminStatement.DropServer drop) {
            return change("DROP SERVER", (servers, now) -> drop(drop, servers));
        } else if (statement instanceof AdminStatement.CreateMapping create) {
            return change("CREATE USER MAPPING", (servers, now) -> create(create, user, servers, now));
        } else if (statement instanceof AdminStatement.AlterMapping alter) {
            return change("ALTER USER MAPPING", (servers, now) -> alter(alter, user, servers, now));
        } else if (statement instanceof AdminStatement.DropMapping drop) {
            return change("DROP USER MAPPING", (servers, now) -> drop(drop, user, servers));
        } else if (statement instanceof AdminStatement.Call call) {
            return procedures.call(call, user);
        } else if (statement instanceof AdminStatement.Control control) {
            return control(control);
        }
        throw new IllegalArgumentException("bug: not a statement to perform: " + statement.getClass());
    }

    @Override
    public List<Answer.Column> columns(AdminStatement statement) {
        return statement instanceof AdminStatement.Call call ? Procedures.columns(call) : List.of();
    }

    private Answer change(String tag, Definitions.Step step) throws SQLException {
        definitions.change(step);
        return Answer.done(tag);
    }

    // ---- servers

    private static @Nullable Change create(
            AdminStatement.CreateServer create, String user, Map<String, KeptServer> servers, Instant now)
            throws SQLException {
        if (servers.containsKey(create.name())) {
            if (create.ifNotExists()) {
                return null;
            }
            throw new AdminException(SqlStates.DUPLICATE, "server \"" + create.name() + "\" already exists");
        }
        ServerDefinition.Builder builder = ServerDefinition.builder(
                        create.name(), type(create.wrapper(), create.type()))
                .version(create.version())
                .owner(user);
        ServerDefinition definition = changed(builder, create.options());
        return Change.put(
                servers,
                new KeptServer(definition, now, now, Map.of()),
                placed(create.options(), registry -> registry.register(definition)));
    }

    /** Returns a hint at the nearest wrapper, or at all of them; compared without their common end. */
    private static String nearest(String wrapper) {
        List<String> names = Arrays.stream(DatabaseType.values())
                .flatMap(type -> Stream.concat(Stream.of(type.label()), type.aliases().stream()))
                .toList();
        String hint = NearestName.hint(wrapper.replaceFirst("_fdw$", ""), names);
        return hint.isEmpty()
                ? "; there are: "
                        + Arrays.stream(DatabaseType.values())
                                .map(type -> type.label() + "_fdw")
                                .collect(Collectors.joining(", "))
                : hint.replaceFirst("\\?$", "_fdw?");
    }

    /** Returns the type behind a wrapper; TYPE may be more exact, where one wrapper serves for two. */
    static DatabaseType type(String wrapper, @Nullable String type) throws AdminException {
        DatabaseType wrapped = DatabaseType.of(wrapper).orElse(null);
        if (wrapped == null) {
            throw new AdminException(
                    SqlStates.UNDEFINED, "foreign-data wrapper \"" + wrapper + "\" does not exist" + nearest(wrapper));
        }
        if (type == null) {
            return wrapped;
        }
        DatabaseType exact = DatabaseType.of(type).orElse(null);
        boolean fits = exact == wrapped
                || (wrapped == DatabaseType.MYSQL && exact == DatabaseType.MARIADB)
                || (wrapped == DatabaseType.POSTGRESQL && exact == DatabaseType.AURORA_DSQL);
        if (exact == null || !fits) {
            throw new AdminException(
                    SqlStates.INVALID_VALUE,
                    "TYPE does not fit " + wrapper + ": leave it out, or say '" + wrapped.label() + "'");
        }
        return exact;
    }

    private static Change alter(AdminStatement.AlterServer alter, Map<String, KeptServer> servers, Instant now)
            throws SQLException {
        KeptServer server = server(servers, alter.name());
        ServerDefinition.Builder builder = server.definition().toBuilder();
        if (alter.version() != null) {
            builder.version(alter.version());
        }
        ServerDefinition definition = changed(builder, alter.changes());
        return Change.put(
                servers,
                server.with(definition, now),
                placed(alter.changes(), registry -> registry.update(definition)));
    }

    private static ServerDefinition changed(ServerDefinition.Builder builder, List<Option> options)
            throws SQLException {
        for (Option option : options) {
            checkPresence(option, builder.has(option.key()));
            String value = option.value();
            if (value == null) {
                builder.drop(option.key());
            } else if (ServerOption.of(option.key()).isEmpty() && MappingOptions.NAMES.contains(option.key())) {
                throw new AdminException(
                        RegistryError.INVALID_OPTION.sqlState(),
                        "the option '" + option.key() + "' belongs into a user mapping",
                        option.position());
            } else {
                builder.option(option.key(), value);
            }
        }
        try {
            return builder.build();
        } catch (RegistryException e) {
            throw placed(options, e);
        }
    }

    /** Checks, as PostgreSQL does, that an added option is new, and a set or dropped one present. */
    private static void checkPresence(Option option, boolean there) throws AdminException {
        if (option.change() == Option.Change.ADD && there) {
            throw new AdminException(
                    SqlStates.DUPLICATE,
                    "option \"" + option.key() + "\" is there already; say SET to change it",
                    option.position());
        }
        if (option.change() != Option.Change.ADD && !there) {
            throw new AdminException(
                    SqlStates.UNDEFINED,
                    "option \"" + option.key() + "\" not found"
                            + (option.change() == Option.Change.SET ? "; say ADD to give it" : ""),
                    option.position());
        }
    }

    /** Returns the same effect, whose errors have the position of their option. */
    private static Definitions.Effect placed(List<Option> options, Definitions.Effect effect) {
        return registry -> {
            try {
                effect.on(registry);
            } catch (RegistryException e) {
                throw placed(options, e);
            }
        };
    }

    private static SQLException placed(List<Option> options, RegistryException error) {
        for (String blamed : error.options()) {
            for (Option option : options) {
                if (option.key().equals(blamed)) {
                    return new AdminException(
                            error.getSQLState(), String.valueOf(error.getMessage()), option.position(), error);
                }
            }
        }
        return error;
    }

    private static Change changeOwner(AdminStatement.ChangeOwner change, Map<String, KeptServer> servers, Instant now)
            throws SQLException {
        KeptServer server = server(servers, change.name());
        ServerDefinition definition =
                server.definition().toBuilder().owner(change.owner()).build();
        return Change.put(servers, server.with(definition, now), registry -> registry.update(definition));
    }

    private static Change rename(AdminStatement.RenameServer rename, Map<String, KeptServer> servers, Instant now)
            throws SQLException {
        KeptServer server = server(servers, rename.name());
        if (servers.containsKey(rename.newName())) {
            throw new AdminException(SqlStates.DUPLICATE, "server \"" + rename.newName() + "\" already exists");
        }
        ServerDefinition definition =
                server.definition().toBuilder().name(rename.newName()).build();
        Map<String, KeptServer> after = new TreeMap<>(servers);
        after.remove(rename.name());
        after.put(rename.newName(), server.with(definition, now));
        return new Change(after, registry -> registry.rename(rename.name(), rename.newName()));
    }

    private static @Nullable Change drop(AdminStatement.DropServer drop, Map<String, KeptServer> servers)
            throws SQLException {
        if (drop.ifExists() && !servers.containsKey(drop.name())) {
            return null;
        }
        KeptServer server = server(servers, drop.name());
        if (!drop.cascade() && !server.mappings().isEmpty()) {
            throw new AdminException(
                    SqlStates.DEPENDED_ON,
                    "cannot drop server " + drop.name() + " because user mappings depend on it (for "
                            + String.join(", ", server.mappings().keySet()) + "); say CASCADE to drop them too");
        }
        return Change.remove(servers, drop.name(), registry -> registry.unregister(drop.name()));
    }

    private static KeptServer server(Map<String, KeptServer> servers, String name) throws AdminException {
        KeptServer server = servers.get(name);
        if (server == null) {
            throw new AdminException(
                    SqlStates.UNDEFINED,
                    "server \"" + name + "\" does not exist" + NearestName.hint(name, servers.keySet()));
        }
        return server;
    }

    // ---- mappings

    private static @Nullable Change create(
            AdminStatement.CreateMapping create, String user, Map<String, KeptServer> servers, Instant now)
            throws SQLException {
        KeptServer server = server(servers, create.server());
        String localUser = localUser(create.who(), user);
        if (server.mappings().containsKey(localUser)) {
            if (create.ifNotExists()) {
                return null;
            }
            throw new AdminException(
                    SqlStates.DUPLICATE,
                    "user mapping for \"" + localUser + "\" already exists for server \"" + create.server() + "\"");
        }
        KeptMapping mapping = changed(new MappingOptions(), create.options()).mapping(localUser, now, now);
        return mapped(servers, server, mapping);
    }

    private static Change alter(
            AdminStatement.AlterMapping alter, String user, Map<String, KeptServer> servers, Instant now)
            throws SQLException {
        KeptServer server = server(servers, alter.server());
        KeptMapping mapping = mapping(server, localUser(alter.who(), user));
        MappingOptions options = changed(new MappingOptions(mapping), alter.changes());
        return mapped(servers, server, options.mapping(mapping.localUser(), mapping.created(), now));
    }

    private static Change mapped(Map<String, KeptServer> servers, KeptServer server, KeptMapping mapping) {
        return Change.put(servers, server.with(mapping), registry -> registry.map(server.name(), mapping.mapping()));
    }

    private static MappingOptions changed(MappingOptions options, List<Option> changes) throws SQLException {
        for (Option option : changes) {
            checkPresence(option, options.has(option.key()));
            String value = option.value();
            if (value == null) {
                options.drop(option.key());
                continue;
            }
            try {
                options.put(option.key(), value);
            } catch (AdminException e) {
                throw new AdminException(e.getSQLState(), String.valueOf(e.getMessage()), option.position(), e);
            }
        }
        return options;
    }

    private static @Nullable Change drop(AdminStatement.DropMapping drop, String user, Map<String, KeptServer> servers)
            throws SQLException {
        String localUser = localUser(drop.who(), user);
        if (drop.ifExists()
                && (!servers.containsKey(drop.server())
                        || !servers.get(drop.server()).mappings().containsKey(localUser))) {
            return null;
        }
        KeptServer server = server(servers, drop.server());
        mapping(server, localUser);
        return Change.put(servers, server.without(localUser), registry -> registry.unmap(drop.server(), localUser));
    }

    private static KeptMapping mapping(KeptServer server, String localUser) throws AdminException {
        KeptMapping mapping = server.mappings().get(localUser);
        if (mapping == null) {
            throw new AdminException(
                    SqlStates.UNDEFINED,
                    "user mapping for \"" + localUser + "\" does not exist for server \"" + server.name() + "\"");
        }
        return mapping;
    }

    private static String localUser(Who who, String user) throws AdminException {
        if (who.isPublic()) {
            return UserMapping.PUBLIC;
        }
        String name = who.name() == null ? user : who.name();
        if (name.equalsIgnoreCase(UserMapping.PUBLIC)) {
            throw new AdminException(
                    SqlStates.RESERVED_NAME,
                    "nobody can be called \"" + name + "\": say PUBLIC, without quotes, for everyone");
        }
        return name;
    }

    // ---- control

    private Answer control(AdminStatement.Control control) throws SQLException {
        List<String> names = control.server() == null
                ? registry.servers().stream().map(ServerDefinition::name).toList()
                : List.of(control.server());
        for (String name : names) {
            switch (control.verb()) {
                case PAUSE -> registry.pause(name);
                case RESUME -> registry.resume(name);
                case RECONNECT -> registry.reconnect(name);
            }
        }
        return Answer.done(control.verb().name());
    }
}
