// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.console.state.Definitions;
import dev.forebay.console.state.Definitions.Change;
import dev.forebay.console.state.KeptMapping;
import dev.forebay.console.state.KeptServer;
import dev.forebay.engine.internal.NearestName;
import dev.forebay.model.yaml.YamlMap;
import dev.forebay.model.yaml.YamlProblems;
import dev.forebay.model.yaml.YamlText;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.ServerOption;
import dev.forebay.registry.UserMapping;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Servers and user mappings that are declared in a file. Immutable.
 *
 * <p>Applying creates the missing ones, alters those that differ and leaves the others alone, so that repeating it does
 * nothing: no connection is drained that need not be. The whole file is checked before anything is changed.
 */
public final class DeclaredServers {

    private static final List<String> TOP = List.of("servers", "prune");
    private static final List<String> SERVER = List.of("type", "version", "owner", "options", "users");

    private final boolean prune;
    private final Map<String, Declared> servers;

    /** A server as it is declared; its mappings are by local user. */
    private record Declared(ServerDefinition definition, Map<String, MappingOptions> mappings) {}

    private DeclaredServers(boolean prune, Map<String, Declared> servers) {
        this.prune = prune;
        this.servers = servers;
    }

    /**
     * Reads {@code file}.
     *
     * @throws IllegalArgumentException with all its errors, each with its line and column
     */
    public static DeclaredServers read(Path file) {
        try {
            if (Files.size(file) > YamlText.LARGEST) {
                throw new IllegalArgumentException(file + ": larger than 1 MiB");
            }
            return parse(file.toString(), Files.readString(file));
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(file + ": there is no such file", e);
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(file + ": not text in UTF-8", e);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + ": cannot be read: " + e, e);
        }
    }

    static DeclaredServers parse(String file, String text) {
        YamlProblems problems = new YamlProblems(file);
        Node node = YamlText.compose(text, problems);
        DeclaredServers declared =
                node == null ? new DeclaredServers(false, Map.of()) : read(YamlMap.of("the file", node, problems));
        problems.summary().ifPresent(all -> {
            throw new IllegalArgumentException(all);
        });
        return declared;
    }

    // ---- reading

    private static DeclaredServers read(YamlMap top) {
        top.refuseOthers(TOP);
        String prune = top.text("prune");
        if (prune != null && !prune.equals("true") && !prune.equals("false")) {
            top.refuse("prune", "prune must be true or false");
        }
        Map<String, Declared> servers = new TreeMap<>();
        YamlMap all = top.map("servers");
        for (String name : all.keys()) {
            Declared server = server(name, all.map(name, "server " + name));
            if (server != null) {
                servers.put(name, server);
            }
        }
        return new DeclaredServers("true".equals(prune), servers);
    }

    private static @Nullable Declared server(String name, YamlMap map) {
        map.refuseOthers(SERVER);
        Map<String, MappingOptions> mappings = new TreeMap<>();
        YamlMap users = map.map("users");
        for (String user : users.keys()) {
            MappingOptions options = mapping(user, users.map(user, "user " + user));
            String localUser = user.equalsIgnoreCase(UserMapping.PUBLIC) ? UserMapping.PUBLIC : user;
            if (mappings.put(localUser, options) != null) {
                users.refuse(user, "everyone is declared twice");
            }
        }
        String label = map.need("type");
        DatabaseType type = DatabaseType.of(label).orElse(null);
        if (type == null) {
            List<String> known = Arrays.stream(DatabaseType.values())
                    .map(DatabaseType::label)
                    .toList();
            String hint = NearestName.hint(label, known);
            map.refuse(
                    "type",
                    "there is no such type" + (hint.isEmpty() ? "; there are: " + String.join(", ", known) : hint));
            return null;
        }
        ServerDefinition.Builder builder = ServerDefinition.builder(name, type)
                .version(map.text("version"))
                .owner(map.text("owner"));
        YamlMap options = map.map("options", "server " + name);
        return options(options, builder) ? built(builder, options, mappings) : null;
    }

    private static boolean options(YamlMap options, ServerDefinition.Builder builder) {
        List<String> known =
                Arrays.stream(ServerOption.values()).map(ServerOption::key).toList();
        boolean good = true;
        for (Map.Entry<String, String> option : options.texts().entrySet()) {
            String key = option.getKey();
            if (ServerOption.of(key).isEmpty() && !key.startsWith(ServerOption.DRIVER_PREFIX)) {
                options.refuse(key, "there is no option '" + key + "'" + NearestName.hint(key, known));
                good = false;
            }
            builder.option(key, option.getValue());
        }
        return good;
    }

    private static @Nullable Declared built(
            ServerDefinition.Builder builder, YamlMap options, Map<String, MappingOptions> mappings) {
        try {
            return new Declared(builder.build(), mappings);
        } catch (RegistryException e) {
            String about = e.options().stream()
                    .filter(options.keys()::contains)
                    .findFirst()
                    .orElse("");
            options.refuse(about, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private static MappingOptions mapping(String user, YamlMap map) {
        MappingOptions options = new MappingOptions();
        map.texts().forEach((key, value) -> {
            try {
                options.put(key, value);
            } catch (AdminException e) {
                map.refuse(key, String.valueOf(e.getMessage()));
            }
        });
        try {
            options.mapping(user, Instant.EPOCH, Instant.EPOCH);
        } catch (AdminException e) {
            map.refuse(map.keys().contains("auth") ? "auth" : "", String.valueOf(e.getMessage()));
        }
        return options;
    }

    // ---- applying

    /**
     * Makes {@code definitions} match the declarations.
     *
     * @param owner the owner of new servers without a declared one
     * @return the changes, a line each
     */
    public List<String> apply(Definitions definitions, String owner) throws SQLException {
        List<String> changes = new ArrayList<>();
        for (Declared server : servers.values()) {
            String name = server.definition().name();
            note(changes, definitions, "server " + name, (kept, now) -> server(server.definition(), owner, kept, now));
            for (Map.Entry<String, MappingOptions> mapping : server.mappings().entrySet()) {
                note(
                        changes,
                        definitions,
                        "user mapping for " + mapping.getKey() + " on " + name,
                        (kept, now) -> mapping(kept, name, mapping.getKey(), mapping.getValue(), now));
            }
        }
        if (prune) {
            prune(definitions, changes);
        }
        return changes;
    }

    private static @Nullable Change server(
            ServerDefinition declared, String owner, Map<String, KeptServer> kept, Instant now) throws SQLException {
        KeptServer before = kept.get(declared.name());
        String owned = declared.owner()
                .or(() -> before == null
                        ? Optional.of(owner)
                        : before.definition().owner())
                .orElse(owner);
        ServerDefinition wanted = declared.toBuilder().owner(owned).build();
        if (before == null) {
            return Change.put(kept, new KeptServer(wanted, now, now, Map.of()), registry -> registry.register(wanted));
        }
        if (before.definition().type() != wanted.type()) {
            throw new AdminException(
                    SqlStates.INVALID_VALUE,
                    "server " + wanted.name() + " is of type "
                            + before.definition().type().label()
                            + ", which cannot be changed: drop it first, or declare another name");
        }
        return before.definition().equals(wanted)
                ? null
                : Change.put(kept, before.with(wanted, now), registry -> registry.update(wanted));
    }

    private static @Nullable Change mapping(
            Map<String, KeptServer> kept, String name, String user, MappingOptions options, Instant now)
            throws SQLException {
        KeptServer server = server(kept, name);
        KeptMapping before = server.mappings().get(user);
        KeptMapping wanted = options.mapping(user, before == null ? now : before.created(), now);
        return before != null && before.saysTheSameAs(wanted)
                ? null
                : Change.put(kept, server.with(wanted), registry -> registry.map(name, wanted.mapping()));
    }

    private static KeptServer server(Map<String, KeptServer> kept, String name) {
        KeptServer server = kept.get(name);
        if (server == null) {
            throw new IllegalStateException("bug: server " + name + " was there just now");
        }
        return server;
    }

    private void prune(Definitions definitions, List<String> changes) throws SQLException {
        for (KeptServer server : definitions.servers().values()) {
            String name = server.name();
            Declared declared = servers.get(name);
            if (declared == null) {
                definitions.change((kept, now) -> Change.remove(kept, name, registry -> registry.unregister(name)));
                changes.add("dropped server " + name);
                continue;
            }
            for (String user : server.mappings().keySet()) {
                if (!declared.mappings().containsKey(user)) {
                    definitions.change((kept, now) ->
                            Change.put(kept, server(kept, name).without(user), registry -> registry.unmap(name, user)));
                    changes.add("dropped user mapping for " + user + " on " + name);
                }
            }
        }
    }

    private static void note(List<String> changes, Definitions definitions, String what, Definitions.Step step)
            throws SQLException {
        int objects = count(definitions.servers());
        if (definitions.change(step)) {
            changes.add((count(definitions.servers()) > objects ? "created " : "altered ") + what);
        }
    }

    private static int count(Map<String, KeptServer> servers) {
        return servers.values().stream()
                .mapToInt(server -> 1 + server.mappings().size())
                .sum();
    }
}
