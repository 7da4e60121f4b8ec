// SPDX-License-Identifier: Apache-2.0
package dev.forebay.engine.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The values of a list of options: first those set, with their origins, then, once resolved, all that follow from them.
 * Not thread-safe until then.
 */
public final class OptionValues {

    private final List<Option<?>> options;
    private final List<String> beginnings;
    private final Map<Option<?>, Setting<?>> set = new LinkedHashMap<>();
    private final Map<Option<?>, Object> values = new HashMap<>();
    private final List<String> sourceNotices = new ArrayList<>();
    private final List<String> notices = new ArrayList<>();

    /**
     * Makes an empty set of values of {@code options}.
     *
     * @param beginnings the beginnings of names that can only be meant for these options
     */
    public OptionValues(List<Option<?>> options, List<String> beginnings) {
        this.options = options;
        this.beginnings = beginnings;
    }

    /** Copies the values that were set here, with nothing resolved. */
    public OptionValues copy() {
        OptionValues copy = new OptionValues(options, beginnings);
        copy.setAll(this);
        return copy;
    }

    // ---- setting

    /** Sets {@code option} by code; null goes back to the default. */
    public <T> void set(Option<T> option, @Nullable T value) {
        if (value == null) {
            set.remove(option);
        } else {
            set.put(
                    option,
                    new Setting<>(value, option.name(), option.kind().format().apply(value), "code"));
        }
    }

    /** Sets {@code option} to {@code value}, in the words of {@code said}. */
    public <T> void set(Option<T> option, T value, Setting<?> said) {
        set.put(option, new Setting<>(value, said.name, said.text, said.origin));
    }

    /** Sets every option that {@code later} sets. */
    public void setAll(OptionValues later) {
        set.putAll(later.set);
        sourceNotices.addAll(later.sourceNotices);
    }

    /**
     * Sets the options that {@code variables} name. Empty ones count as unset; those that are not ours are ignored,
     * with a notice if they look like ours.
     *
     * @throws IllegalArgumentException naming the variable, its value and the valid values
     */
    public OptionValues readVariables(Map<String, String> variables) {
        options.forEach(option -> read(option, option.variable(), variables, "environment variable "));
        List<String> known = options.stream().map(Option::variable).toList();
        for (String name : new TreeSet<>(variables.keySet())) {
            boolean isSet = !variables.getOrDefault(name, "").isBlank();
            if (isSet && startsLike(name, beginnings) && !known.contains(name)) {
                sourceNotices.add(name + " is not a variable of ours and is ignored" + NearestName.hint(name, known));
            }
        }
        return this;
    }

    /**
     * Sets the options that {@code properties} name. Empty ones count as unset; those of others are ignored.
     *
     * @throws IllegalArgumentException naming the property, its value and the valid values
     */
    public OptionValues readProperties(Map<String, String> properties) {
        refuseUnknown(properties);
        options.forEach(option -> read(option, option.name(), properties, "property "));
        return this;
    }

    private <T> void read(Option<T> option, String name, Map<String, String> source, String kindOfSource) {
        String text = source.getOrDefault(name, "").strip();
        if (text.isEmpty()) {
            return;
        }
        Setting<T> setting = new Setting<>(option.parse(name, text), name, text, kindOfSource + name);
        if (option.kind().isFlag() && !OptionKind.isBoolean(text)) {
            sourceNotices.add(setting.words() + " is neither true nor false and is taken as false");
        }
        set.put(option, setting);
    }

    private void refuseUnknown(Map<String, String> properties) {
        List<String> known = options.stream().map(Option::name).toList();
        List<String> prefixes = known.stream()
                .map(name -> name.substring(0, name.lastIndexOf('.') + 1))
                .toList();
        for (String name : new TreeSet<>(properties.keySet())) {
            String written = Option.written(name, properties.getOrDefault(name, ""));
            for (Option<?> option : options) {
                if (name.equals(option.variable())) {
                    throw new IllegalArgumentException(
                            Option.refusal(written, "an environment variable among the properties", option.name()));
                }
            }
            boolean ours = startsLike(name, prefixes) || startsLike(name, beginnings);
            if (ours && !known.contains(name)) {
                throw new IllegalArgumentException(
                        written + ": there is no such property; valid are those of docs/configuration.md"
                                + NearestName.hint(name, known));
            }
        }
    }

    private static boolean startsLike(String name, List<String> beginnings) {
        return beginnings.stream().anyMatch(name::startsWith);
    }

    // ---- resolving

    /** Takes every option's value as it was set, or its default, unless it has a value already. */
    public void takeAll() {
        options.forEach(this::take);
    }

    private <T> void take(Option<T> option) {
        Setting<T> setting = setting(option);
        T value = setting == null ? option.defaultValue() : setting.value;
        if (value != null && !values.containsKey(option)) {
            if (setting != null) {
                option.check(setting.words(), value);
            }
            values.put(option, value);
        }
    }

    public <T> void put(Option<T> option, T value) {
        values.put(option, value);
    }

    public <T> void putIfAbsent(Option<T> option, T value) {
        values.putIfAbsent(option, value);
    }

    /** Notes a correction, in a sentence for a log. */
    public void notice(String sentence) {
        notices.add(sentence);
    }

    /** Throws if the values of {@code about} are {@code wrong} together. */
    public void refuse(boolean wrong, String problem, String valid, Option<?>... about) {
        if (wrong) {
            String written = Stream.of(about).map(this::words).collect(Collectors.joining(", "));
            throw new IllegalArgumentException(Option.refusal(written, problem, valid));
        }
    }

    // ---- asking

    public boolean isSet(Option<?> option) {
        return set.containsKey(option);
    }

    /** The setting of {@code option}; null if it was not set. */
    @SuppressWarnings("unchecked") // an option is only ever put together with its own kind of value
    public <T> @Nullable Setting<T> setting(Option<T> option) {
        return (Setting<T>) set.get(option);
    }

    /** Removes the setting of {@code option}. */
    public void unset(Option<?> option) {
        set.remove(option);
    }

    /** The value of an option that has one. */
    public <T> T get(Option<T> option) {
        T value = find(option);
        if (value == null) {
            throw new IllegalStateException("bug: " + option + " has no value");
        }
        return value;
    }

    /** The value of {@code option}; null if it has none. */
    @SuppressWarnings("unchecked") // as above
    public <T> @Nullable T find(Option<T> option) {
        return (T) values.get(option);
    }

    /** The words for {@code option} in messages, by the name that its author used. */
    public <T> String words(Option<T> option) {
        Setting<T> setting = setting(option);
        return setting != null
                ? setting.words()
                : Option.written(option.name(), option.kind().format().apply(get(option))) + " (default)";
    }

    /** The notices of ignored and corrected settings, in sentences for a log. */
    public List<String> notices() {
        return Stream.concat(sourceNotices.stream(), notices.stream()).toList();
    }

    /** The origin of each option's value, by name: "default", "environment variable X", "property x" or "code". */
    public Map<String, String> origins() {
        Map<String, String> origins = new TreeMap<>();
        for (Option<?> option : options) {
            Setting<?> setting = set.get(option);
            origins.put(option.name(), setting == null ? "default" : setting.origin);
        }
        return origins;
    }

    /** Each option's value as text, by name; options without a value are left out. */
    public Map<String, String> texts() {
        Map<String, String> texts = new TreeMap<>();
        options.forEach(option -> write(option, texts));
        return texts;
    }

    private <T> void write(Option<T> option, Map<String, String> texts) {
        T value = find(option);
        if (value != null) {
            texts.put(option.name(), option.kind().format().apply(value));
        }
    }

    /** Whether the values are the same, whatever their origins. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof OptionValues others && values.equals(others.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /**
     * The value of an option, and its origin.
     *
     * @param value the value
     * @param name the name by which it was set
     * @param text the value as it was written, for messages
     * @param origin the place where it was set, in words
     */
    public record Setting<T>(T value, String name, String text, String origin) {

        /** The words for it in messages. */
        public String words() {
            return Option.written(name, text);
        }
    }
}
