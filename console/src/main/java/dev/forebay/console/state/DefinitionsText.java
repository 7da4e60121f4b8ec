// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.state;

import dev.forebay.model.yaml.YamlMap;
import dev.forebay.model.yaml.YamlProblems;
import dev.forebay.model.yaml.YamlText;
import dev.forebay.registry.DatabaseType;
import dev.forebay.registry.RegistryException;
import dev.forebay.registry.ServerDefinition;
import dev.forebay.registry.ServerOption;
import dev.forebay.registry.UserMapping;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * The text of the file of definitions: YAML, then a comment with a code of all before it that needs the vault's key, then one
 * with a checksum of all before that. The checksum finds a damaged file, the code one that another has written: host
 * names are not sealed, so without it a writer of the file could have a password sent to another host. Stateless.
 *
 * <p>Passwords are sealed, as are options that go to a driver, since they may hold passwords too.
 */
final class DefinitionsText {

    private static final String FORMAT = "2";

    /** The format before there was a code of the vault's. */
    private static final String UNSIGNED = "1";

    private static final String CODE = "# hmac-sha256 ";
    private static final String CHECKSUM = "# sha256 ";
    private static final int LARGEST = 1 << 28;
    private static final String SEALED = "sealed:";

    private DefinitionsText() {}

    // ---- writing

    static byte[] write(Map<String, KeptServer> servers, Vault vault) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("format", Integer.valueOf(FORMAT));
        root.put("key", vault.keyId());
        List<Object> list = new ArrayList<>();
        servers.values().forEach(server -> list.add(server(server, vault)));
        root.put("servers", list);
        DumpSettings settings = DumpSettings.builder()
                .setDefaultFlowStyle(FlowStyle.BLOCK)
                .setWidth(Integer.MAX_VALUE)
                .build();
        String body = "# Written by ./forebay console. To change it, use SQL or --servers.\n"
                + new Dump(settings).dumpToString(root);
        String signed = body + CODE + vault.code(vault.keyId(), body) + "\n";
        return (signed + CHECKSUM + checksum(signed) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, Object> server(KeptServer server, Vault vault) {
        ServerDefinition definition = server.definition();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", definition.name());
        map.put("type", definition.type().label());
        definition.version().ifPresent(version -> map.put("version", version));
        definition.owner().ifPresent(owner -> map.put("owner", owner));
        map.put("created", server.created().toString());
        map.put("modified", server.modified().toString());
        Map<String, String> options = new TreeMap<>();
        definition
                .options()
                .forEach((key, value) -> options.put(
                        key,
                        key.startsWith(ServerOption.DRIVER_PREFIX)
                                ? SEALED + vault.seal(value, definition.name(), "", key)
                                : value));
        map.put("options", options);
        List<Object> mappings = new ArrayList<>();
        server.mappings().values().forEach(mapping -> mappings.add(mapping(definition.name(), mapping, vault)));
        map.put("mappings", mappings);
        return map;
    }

    private static Map<String, Object> mapping(String server, KeptMapping mapping, Vault vault) {
        String user = mapping.localUser();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("local_user", user);
        map.put("user", mapping.remoteUser());
        map.put("auth", mapping.auth().name().toLowerCase(Locale.ROOT));
        SecretText password = mapping.password();
        if (password != null) {
            map.put("password", password.sealed(vault, server, user, "password"));
        }
        Map<String, String> options = new TreeMap<>();
        mapping.options()
                .forEach((key, value) ->
                        options.put(key, SEALED + vault.seal(value, server, user, ServerOption.DRIVER_PREFIX + key)));
        map.put("options", options);
        map.put("created", mapping.created().toString());
        map.put("modified", mapping.modified().toString());
        return map;
    }

    private static String checksum(String body) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(body.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("bug: every Java has SHA-256", e);
        }
    }

    // ---- reading

    /** The definitions that were read, and whether some were sealed with another than the first key. */
    record Read(Map<String, KeptServer> servers, boolean sealAnew) {}

    static Read read(Path file, byte[] bytes, Vault vault) throws StateException {
        String text = new String(bytes, StandardCharsets.UTF_8);
        checkWhole(file, text);
        YamlProblems problems = new YamlProblems(file.toString());
        Node node = YamlText.compose(text, LARGEST, problems);
        if (node == null) {
            problems.add(Optional.empty(), "there is nothing in it");
            throw damaged(file, problems);
        }
        YamlMap root = YamlMap.of("definitions", node, problems);
        String format = root.need("format");
        if (format.equals(UNSIGNED)) {
            throw new StateException(
                    file + ":2: it has format " + UNSIGNED
                            + ", in which nothing shows who wrote it, so its passwords would go"
                            + " to whatever hosts it names: look through it, move it to another place together with"
                            + " definitions.yaml.1, and define its servers again, by SQL or --servers, with their passwords;"
                            + " nothing was changed",
                    null);
        }
        if (!format.equals(FORMAT)) {
            throw new StateException(
                    file + ":2: it has format " + format + " and this Forebay reads format " + FORMAT
                            + ": use the Forebay that wrote it, or a newer one",
                    null);
        }
        String key = root.need("key");
        if (!vault.has(key)) {
            throw new StateException(
                    file + ":3: its secrets are sealed with the key " + key + ", which is not the one given (" + vault
                            + "): give the right key in " + Vault.KEY_VARIABLE + " or " + Vault.FILE_VARIABLE
                            + "; nothing was changed",
                    null);
        }
        checkAuthor(file, text, vault, key);
        Map<String, KeptServer> servers = new TreeMap<>();
        for (YamlMap map : root.maps("servers")) {
            KeptServer server = server(map, vault, key);
            if (server != null && servers.put(server.name(), server) != null) {
                map.refuse("name", "there are two of that name");
            }
        }
        if (problems.summary().isPresent()) {
            throw damaged(file, problems);
        }
        return new Read(servers, !key.equals(vault.keyId()));
    }

    private static void checkAuthor(Path file, String text, Vault vault, String key) throws StateException {
        int checksum = text.lastIndexOf("\n" + CHECKSUM) + 1;
        int code = text.lastIndexOf("\n" + CODE, checksum) + 1;
        boolean ours = code > 0
                && MessageDigest.isEqual(
                        text.substring(code, checksum).getBytes(StandardCharsets.UTF_8),
                        (CODE + vault.code(key, text.substring(0, code)) + "\n").getBytes(StandardCharsets.UTF_8));
        if (!ours) {
            throw new StateException(
                    file + ": it was not written by a console that has the key: somebody else changed it"
                            + remedy(file),
                    null);
        }
    }

    private static void checkWhole(Path file, String text) throws StateException {
        int last = text.lastIndexOf('\n', text.length() - 2) + 1;
        long line = text.chars().limit(last).filter(c -> c == '\n').count() + 1;
        boolean whole = text.endsWith("\n")
                && text.startsWith(CHECKSUM, last)
                && text.substring(last + CHECKSUM.length(), text.length() - 1)
                        .equals(checksum(text.substring(0, last)));
        if (!whole) {
            throw new StateException(
                    file + ":" + line + ": "
                            + (text.startsWith(CHECKSUM, last)
                                    ? "the checksum does not fit: the file was changed or damaged"
                                    : "the checksum is missing: the file was cut off or changed")
                            + remedy(file),
                    null);
        }
    }

    private static StateException damaged(Path file, YamlProblems problems) {
        return new StateException(problems.summary().orElse(file.toString()) + remedy(file), null);
    }

    private static String remedy(Path file) {
        return "; it was left as it is. Put a copy in its place: " + file + ".1 is as it was before the last change";
    }

    private static @Nullable KeptServer server(YamlMap map, Vault vault, String key) {
        String name = map.need("name");
        DatabaseType type = DatabaseType.of(map.need("type")).orElse(null);
        if (type == null) {
            map.refuse("type", "there is no such type");
            return null;
        }
        ServerDefinition.Builder builder = ServerDefinition.builder(name, type)
                .version(map.text("version"))
                .owner(map.text("owner"));
        options(map.map("options"), vault, key, name, "", "").forEach(builder::option);
        Map<String, KeptMapping> mappings = new TreeMap<>();
        for (YamlMap each : map.maps("mappings")) {
            KeptMapping mapping = mapping(each, vault, key, name);
            if (mapping != null) {
                mappings.put(mapping.localUser(), mapping);
            }
        }
        try {
            return new KeptServer(builder.build(), instant(map, "created"), instant(map, "modified"), mappings);
        } catch (RegistryException e) {
            map.refuse(String.valueOf(e.getMessage()));
            return null;
        }
    }

    private static Map<String, String> options(
            YamlMap map, Vault vault, String key, String server, String user, String prefix) {
        Map<String, String> options = new TreeMap<>();
        map.texts().forEach((name, value) -> {
            try {
                options.put(
                        name,
                        value.startsWith(SEALED)
                                ? vault.open(key, value.substring(SEALED.length()), server, user, prefix + name)
                                : value);
            } catch (GeneralSecurityException e) {
                map.refuse(name, name + " cannot be opened with this key at this place");
            }
        });
        return options;
    }

    private static @Nullable KeptMapping mapping(YamlMap map, Vault vault, String key, String server) {
        String user = map.need("local_user");
        String kept = map.text("password");
        SecretText password = null;
        UserMapping.Auth auth;
        try {
            auth = UserMapping.Auth.valueOf(map.need("auth").toUpperCase(Locale.ROOT));
            if (kept != null) {
                password = SecretText.unsealed(kept, closed -> vault.open(key, closed, server, user, "password"));
            }
        } catch (GeneralSecurityException e) {
            map.refuse("password", "the password cannot be opened with this key at this place");
            return null;
        } catch (IllegalArgumentException e) {
            map.refuse("auth", "there is no such way to authenticate");
            return null;
        }
        Map<String, String> options = options(map.map("options"), vault, key, server, user, ServerOption.DRIVER_PREFIX);
        return new KeptMapping(
                user, map.need("user"), auth, password, options, instant(map, "created"), instant(map, "modified"));
    }

    private static Instant instant(YamlMap map, String key) {
        try {
            return Instant.parse(map.need(key));
        } catch (DateTimeException e) {
            map.refuse(key, key + " is not a time");
            return Instant.EPOCH;
        }
    }
}
