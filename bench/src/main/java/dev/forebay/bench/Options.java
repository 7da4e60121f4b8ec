// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench;

import dev.forebay.ForebayConfig;
import dev.forebay.bench.pools.Contestant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a command line. Immutable. */
public final class Options {

    /**
     * An option.
     *
     * @param flag with its dashes
     * @param value its value's name in the usage text: {@link #NUMBER} for a number; null if it takes none
     * @param meaning for the usage text
     */
    public record Option(String flag, @Nullable String value, String meaning) {
        public static final String NUMBER = "N";

        String describe() {
            return String.format("    %-20s %s%n", value == null ? flag : flag + " " + value, meaning);
        }
    }

    /** Forebay's mode, for comparisons in which it matters. */
    public static final Option MODE = new Option("--mode", "MODE", "Forebay's: reservoir, standard or on-demand");

    /** The kind of threads that ask, for comparisons in which it matters. */
    public static final Option THREADS =
            new Option("--threads", "KIND", "those that ask: platform, or virtual on JDK 21 or later");

    private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

    static final List<Option> COMMON = List.of(
            new Option("--quick", null, "about two minutes, for a first impression"),
            new Option("--pools", "LIST", "only these, as in forebay,agroal,hikaricp"));

    private final Map<String, String> given;

    private Options(Map<String, String> given) {
        this.given = given;
    }

    static Options parse(String[] args, List<Option> accepted) {
        Map<String, String> given = new HashMap<>();
        for (int i = 0; i < args.length; i++) {
            String flag = args[i];
            Option option = find(flag, accepted);
            if (option.value() == null) {
                given.put(flag, "");
            } else if (++i < args.length) {
                given.put(flag, args[i]);
            } else {
                throw new IllegalArgumentException(flag + " needs " + option.value());
            }
            if (Option.NUMBER.equals(option.value()) && !args[i].matches("[1-9][0-9]{0,8}")) {
                throw new IllegalArgumentException(flag + " needs a number from 1 on, not '" + args[i] + "'");
            }
        }
        Options options = new Options(given);
        options.pools(); // wrong names fail before anything runs
        options.mode();
        options.threads();
        return options;
    }

    private static Option find(String flag, List<Option> accepted) {
        List<Option> all = new ArrayList<>(COMMON);
        all.addAll(accepted);
        return all.stream()
                .filter(option -> option.flag().equals(flag))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown option '" + flag + "'"));
    }

    public boolean quick() {
        return has("--quick");
    }

    public List<Contestant> pools() {
        String list = get("--pools");
        if (list == null) {
            return List.of(Contestant.values());
        }
        List<Contestant> chosen = new ArrayList<>();
        for (String name : list.split(",", -1)) {
            try {
                chosen.add(Contestant.valueOf(name.trim().toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("no pool is called '" + name + "'", e);
            }
        }
        return chosen;
    }

    /** Returns the mode given by {@link #MODE}, null without one. */
    public ForebayConfig.@Nullable Mode mode() {
        String word = get(MODE.flag());
        if (word == null) {
            return null;
        }
        return Arrays.stream(ForebayConfig.Mode.values())
                .filter(mode -> word(mode).equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no mode is called '" + word + "'"));
    }

    /** Returns the word for a mode, on the command line and in the output. */
    public static String word(ForebayConfig.Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the kind given by {@link #THREADS}. */
    public Threads threads() {
        String word = get(THREADS.flag());
        Threads threads = Arrays.stream(Threads.values())
                .filter(kind -> word == null || kind.toString().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no kind of threads is called '" + word + "'"));
        if (threads == Threads.VIRTUAL && !hasVirtualThreads()) {
            throw new IllegalArgumentException("virtual threads need JDK 21 or later");
        }
        return threads;
    }

    /** Whether this JDK has them. */
    public static boolean hasVirtualThreads() {
        return Runtime.version().feature() >= FIRST_WITH_VIRTUAL_THREADS;
    }

    public boolean has(String flag) {
        return given.containsKey(flag);
    }

    public int number(String flag, int otherwise) {
        String number = given.get(flag);
        return number == null ? otherwise : Integer.parseInt(number);
    }

    public @Nullable String get(String flag) {
        return given.get(flag);
    }
}
