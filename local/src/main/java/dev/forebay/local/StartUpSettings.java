// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.local.sql.Profile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings in a client's start-up packet, by parameters of their own and among its options. Immutable.
 *
 * @param settings by their names in small letters
 * @param clusterId the cluster that it names; empty if it names none
 * @param refusal why it is not to be served; null if it may be
 */
record StartUpSettings(
        Map<String, String> settings,
        String clusterId,
        @Nullable Failure refusal) {

    private static final String CLUSTER_ID = "amzn_cluster_id";
    private static final String DATABASE = "database";
    private static final String OPTIONS = "options";
    private static final String USER = "user";

    /** Said otherwise to PostgreSQL, or not at all: to it we speak UTF-8, and it does not know the other. */
    private static final Set<String> OURS = Set.of("client_encoding", "disable_sync_create_index");

    static StartUpSettings of(Map<String, String> startup, Profile profile) {
        Map<String, String> settings = new TreeMap<>();
        Failure refusal = options(startup.getOrDefault(OPTIONS, ""), settings);
        String clusterId = settings.getOrDefault(CLUSTER_ID, "");
        settings.remove(CLUSTER_ID);
        startup.forEach((name, value) -> {
            if (!Set.of(USER, DATABASE, OPTIONS).contains(name) && !name.startsWith("_pq_.")) {
                settings.put(name.toLowerCase(Locale.ROOT), value);
            }
        });
        String database = startup.getOrDefault(DATABASE, startup.getOrDefault(USER, ""));
        if (refusal == null && !database.equals(LocalDsql.DATABASE)) {
            refusal = new Failure("3D000", "database \"" + database + "\" does not exist");
        }
        for (String name : settings.keySet()) {
            if (refusal == null) {
                refusal = profile.judgeParameter(name)
                        .map(DsqlTransactions::failure)
                        .orElse(null);
            }
        }
        return new StartUpSettings(Map.copyOf(settings), clusterId, refusal);
    }

    /** Adds what {@code -c name=value} and {@code --name=value} say; an option that is none of these is an error. */
    private static @Nullable Failure options(String text, Map<String, String> settings) {
        List<String> words = words(text);
        for (int at = 0; at < words.size(); at++) {
            String word = words.get(at);
            String setting = "";
            if (word.equals("-c") && at + 1 < words.size()) {
                setting = words.get(++at);
            } else if (word.startsWith("-c") || word.startsWith("--")) {
                setting = word.substring(2);
            }
            int equals = setting.indexOf('=');
            if (equals < 1) {
                return new Failure("42601", "invalid command-line argument for server process: " + word);
            }
            String name = setting.substring(0, equals).replace('-', '_').toLowerCase(Locale.ROOT);
            settings.put(name, setting.substring(equals + 1));
        }
        return null;
    }

    /** The words of {@code text}; a backslash makes what follows it a part of a word. */
    private static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean within = false;
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (Character.isWhitespace(c)) {
                if (within) {
                    words.add(word.toString());
                    word.setLength(0);
                }
                within = false;
            } else {
                boolean escapes = c == '\\' && at + 1 < text.length();
                word.append(escapes ? text.charAt(++at) : c);
                within = true;
            }
        }
        if (within) {
            words.add(word.toString());
        }
        return words;
    }

    /** Puts what PostgreSQL is to know into its own start-up packet. */
    void addTo(Map<String, String> startup) {
        settings.forEach((name, value) -> {
            if (!OURS.contains(name)) {
                startup.put(name, value);
            }
        });
    }

    /** The value of a setting that a client is told. */
    String reported(String name, String otherwise) {
        String value = settings.getOrDefault(name.toLowerCase(Locale.ROOT), otherwise);
        boolean order = name.equals("DateStyle") && value.indexOf(',') < 0;
        return name.equals("client_encoding") ? otherwise : order ? value + ", MDY" : value;
    }
}
