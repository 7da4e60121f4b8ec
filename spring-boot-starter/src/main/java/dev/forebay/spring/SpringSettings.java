// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayConfig;
import dev.forebay.engine.internal.GoDuration;
import dev.forebay.engine.internal.NearestName;
import dev.forebay.engine.internal.Option;
import dev.forebay.fleet.FleetConfig;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The settings of the pool in Spring's environment, with the origin of each. Immutable.
 *
 * <p>Nothing is declared here: every knob of {@link ForebayConfig} and {@link FleetConfig} is looked up under its own property name, in all the
 * spellings that Spring takes for one. Its environment variable, such as {@code DSQL_RESERVOIR_TARGET_READY}, counts as
 * much as any other variable: it comes before the files of the application and after the command line.
 */
final class SpringSettings {

    /** The properties that the starter itself reads below our prefix. */
    static final String READINESS = "forebay.health.readiness";

    static final List<String> OWN_PROPERTIES = List.of(READINESS);

    static final String APPLICATION_NAME = "spring.application.name";

    /** The settings of the pool and of the fleet. */
    static final List<Option<?>> KNOBS = Stream.concat(ForebayConfig.knobs().stream(), FleetConfig.knobs().stream())
            .toList();

    private static final Logger log = LoggerFactory.getLogger(SpringSettings.class);

    private static final String SERVICE_NAME = "forebay.service-name";
    private static final String MODE = "forebay.mode";
    private static final String RESERVOIR_ENABLED = "forebay.reservoir.enabled";
    private static final List<ConfigurationPropertyName> OURS = List.of(
            ConfigurationPropertyName.of("forebay"),
            ConfigurationPropertyName.of("dsql.retry"),
            ConfigurationPropertyName.of("dsql.monitoring"));
    private static final Pattern DAYS = Pattern.compile("[0-9]{1,6}d");
    private static final Pattern ISO = Pattern.compile("[+-]?[Pp]");

    private final ForebayConfig config;
    private final Map<String, String> origins;

    private SpringSettings(ForebayConfig config, Map<String, String> origins) {
        this.config = config;
        this.origins = origins;
    }

    /** Returns the settings in {@code environment}, every other knob at its default. */
    static SpringSettings of(ConfigurableEnvironment environment) {
        List<ConfigurationPropertySource> sources = new ArrayList<>();
        ConfigurationPropertySources.from(environment.getPropertySources()).forEach(sources::add);
        refuseUnknown(sources);
        Map<String, Found> found = find(sources);
        dropWeaker(found);
        Properties properties = new Properties();
        Map<String, String> origins = new HashMap<>();
        found.forEach((property, one) -> {
            properties.setProperty(property, one.text(environment));
            origins.put(property, one.origin());
        });
        String application = environment.getProperty(APPLICATION_NAME);
        if (!found.containsKey(SERVICE_NAME) && application != null && !application.isBlank()) {
            properties.setProperty(SERVICE_NAME, application);
            origins.put(SERVICE_NAME, "property " + APPLICATION_NAME);
        }
        try {
            ForebayConfig config = ForebayConfig.builder()
                    .applyEnvironment(unknownVariables(sources))
                    .applyProperties(properties)
                    .build();
            FleetConfig.of(config.fleetSettings()); // its errors are reported here, too
            return new SpringSettings(config, Map.copyOf(origins));
        } catch (IllegalArgumentException e) {
            throw unusable(e, origins);
        }
    }

    ForebayConfig config() {
        return config;
    }

    /** Returns the origin of a property's value, in words; null if it was not set. */
    @Nullable
    String origin(String property) {
        return origins.get(property);
    }

    /** Returns whether a knob was set by a property, in any spelling, and not only by its own environment variable. */
    boolean isSetByProperty(String property) {
        String origin = origins.get(property);
        return origin != null && !origin.startsWith(Found.VARIABLE);
    }

    /** Returns the name as Spring spells it. */
    static String springName(String property) {
        return property.replace('_', '-');
    }

    // ---- looking up

    private record Found(int rank, Object value, String type, String origin) {

        static final String VARIABLE = "environment variable ";

        /** Returns its text as the pool reads it. Spring takes durations in some forms that the pool does not know. */
        String text(ConfigurableEnvironment environment) {
            if (value instanceof Duration duration) {
                return GoDuration.format(duration);
            }
            String text = environment
                    .resolveRequiredPlaceholders(String.valueOf(value))
                    .strip();
            return type.equals("duration") ? duration(text) : text;
        }

        private static String duration(String text) {
            if (DAYS.matcher(text).matches()) {
                return Long.parseLong(text.substring(0, text.length() - 1)) * 24 + "h";
            }
            try {
                return ISO.matcher(text).lookingAt() ? GoDuration.format(Duration.parse(text)) : text;
            } catch (DateTimeParseException | ArithmeticException e) {
                return text; // the pool says what is wrong with it
            }
        }
    }

    private static Map<String, Found> find(List<ConfigurationPropertySource> sources) {
        Map<String, Found> found = new LinkedHashMap<>();
        for (Option<?> knob : KNOBS) {
            ConfigurationPropertyName name = ConfigurationPropertyName.of(springName(knob.name()));
            for (int rank = 0; rank < sources.size() && !found.containsKey(knob.name()); rank++) {
                Found one = find(knob, name, sources.get(rank), rank);
                if (one != null) {
                    found.put(knob.name(), one);
                }
            }
        }
        return found;
    }

    private static @Nullable Found find(
            Option<?> knob, ConfigurationPropertyName name, ConfigurationPropertySource source, int rank) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        SystemEnvironmentPropertySource variables = variables(source);
        Object value = property != null
                ? property.getValue()
                : variables != null ? variables.getSource().get(knob.variable()) : null;
        if (value == null || String.valueOf(value).isBlank()) {
            return null;
        }
        boolean isOwnVariable =
                variables != null && value.equals(variables.getSource().get(knob.variable()));
        String origin = isOwnVariable
                ? Found.VARIABLE + knob.variable()
                : property != null && property.getOrigin() != null
                        ? "property " + name + " from " + property.getOrigin()
                        : "property " + name;
        return new Found(rank, value, knob.kind().type(), origin);
    }

    private static @Nullable SystemEnvironmentPropertySource variables(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource variables ? variables : null;
    }

    /** Drops the mode or the reservoir's flag, which sets the mode too: the one from the weaker source. */
    private static void dropWeaker(Map<String, Found> found) {
        Found mode = found.get(MODE);
        Found flag = found.get(RESERVOIR_ENABLED);
        if (mode != null && flag != null && mode.rank != flag.rank) {
            found.remove(mode.rank < flag.rank ? RESERVOIR_ENABLED : MODE);
        }
    }

    // ---- unknown settings

    private static void refuseUnknown(List<ConfigurationPropertySource> sources) {
        List<String> known = new ArrayList<>(OWN_PROPERTIES);
        KNOBS.forEach(knob -> known.add(springName(knob.name())));
        List<ConfigurationPropertyName> names =
                known.stream().map(ConfigurationPropertyName::of).toList();
        for (ConfigurationPropertySource source : sources) {
            SystemEnvironmentPropertySource variables = variables(source);
            if (variables != null) {
                warnOfUnknown(variables, known);
            } else if (source instanceof IterableConfigurationPropertySource iterable) {
                iterable.stream()
                        .filter(name -> OURS.stream().anyMatch(prefix -> prefix.isAncestorOf(name)))
                        .filter(name -> !names.contains(name))
                        .findFirst()
                        .ifPresent(name -> {
                            throw unknown(iterable, name, known);
                        });
            }
        }
    }

    private static StartFailure unknown(
            ConfigurationPropertySource source, ConfigurationPropertyName name, List<String> known) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        String place = property == null || property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")";
        String hint = NearestName.hint(name.toString(), known).replaceFirst("^; d", "D");
        return new StartFailure(
                "There is no property " + name + place + ".",
                (hint.isEmpty() ? "" : hint + "\n")
                        + "Correct the name or remove it. docs/configuration.md lists every property.",
                null);
    }

    /** Warns of an unknown variable instead of refusing it: it may belong to another of our tools. */
    private static void warnOfUnknown(SystemEnvironmentPropertySource variables, List<String> known) {
        List<String> forms = known.stream()
                .map(name -> name.replace('.', '_').toUpperCase(Locale.ROOT))
                .toList();
        for (String name : variables.getPropertyNames()) {
            boolean isKnown = forms.stream()
                    .anyMatch(form -> form.replace('-', '_').equalsIgnoreCase(name)
                            || form.replace("-", "").equalsIgnoreCase(name));
            if (name.startsWith("FOREBAY_") && !isKnown) {
                log.warn(
                        "{} is not a variable of the starter and is ignored{}",
                        name,
                        NearestName.hint(
                                name,
                                forms.stream()
                                        .map(form -> form.replace('-', '_'))
                                        .toList()));
            }
        }
    }

    /** Returns the variables for the pool, which warns of those that look like its own. */
    private static Map<String, String> unknownVariables(List<ConfigurationPropertySource> sources) {
        Map<String, String> unknown = new TreeMap<>();
        for (ConfigurationPropertySource source : sources) {
            SystemEnvironmentPropertySource variables = variables(source);
            if (variables != null) {
                variables.getSource().forEach((name, value) -> unknown.put(name, String.valueOf(value)));
            }
        }
        KNOBS.forEach(knob -> unknown.remove(knob.variable()));
        return unknown;
    }

    private static StartFailure unusable(IllegalArgumentException error, Map<String, String> origins) {
        String message = String.valueOf(error.getMessage());
        StringBuilder from = new StringBuilder();
        origins.forEach((property, origin) -> {
            if (message.contains(property + "=")) {
                from.append("\n    ").append(origin);
            }
        });
        return new StartFailure(
                "The settings of the pool cannot be used:\n\n    " + message
                        + (from.isEmpty() ? "" : "\n\nSet by:\n" + from),
                "Correct the value. docs/configuration.md tells what each setting takes.",
                error);
    }
}
