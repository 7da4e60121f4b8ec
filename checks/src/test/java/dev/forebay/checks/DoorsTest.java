// SPDX-License-Identifier: Apache-2.0
package dev.forebay.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.forebay.engine.fixture.Misplaced;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * The public types of each module, listed in {@code doors.txt}: public is a promise, so a new one is a decision and not
 * an accident. Types of a package that is no promise are public for their neighbours only and do not count.
 */
class DoorsTest {

    /** Programs promise commands, not types. */
    private static final Set<String> PROGRAMS = Set.of("console", "bench", "samples");

    /** Packages that a module opens to its neighbours only. */
    private static final Set<String> NO_PROMISE = Set.of("dev.forebay.jdbc");

    @Test
    void everyPublicTypeIsListed() {
        assertEquals(List.of(), differences(promises(Ours.CLASSES, Ours::module), listed()));
    }

    /** The negative control: a type that is public and not listed, and one that is listed and not there. */
    @Test
    void aNewcomerIsNamedAndSoIsWhatHasGone() {
        Map<String, Set<String>> grown =
                promises(new ClassFileImporter().importClasses(Misplaced.class), type -> "engine");
        assertEquals(
                List.of(
                        "engine has a new public type: dev.forebay.engine.fixture.Misplaced; hide it, or list it in"
                                + " doors.txt",
                        "engine has no public type dev.forebay.engine.Gone; take it out of doors.txt"),
                differences(grown, Map.of("engine", Set.of("dev.forebay.engine.Gone"))));
    }

    private static List<String> differences(Map<String, Set<String>> found, Map<String, Set<String>> listed) {
        Set<String> modules = new TreeSet<>(found.keySet());
        modules.addAll(listed.keySet());
        List<String> differences = new ArrayList<>();
        for (String module : modules) {
            Set<String> types = found.getOrDefault(module, Set.of());
            Set<String> doors = listed.getOrDefault(module, Set.of());
            types.stream()
                    .filter(type -> !doors.contains(type))
                    .forEach(type -> differences.add(
                            module + " has a new public type: " + type + "; hide it, or list it in doors.txt"));
            doors.stream()
                    .filter(type -> !types.contains(type))
                    .forEach(type ->
                            differences.add(module + " has no public type " + type + "; take it out of doors.txt"));
        }
        return differences;
    }

    private static Map<String, Set<String>> promises(JavaClasses classes, Function<JavaClass, String> module) {
        Map<String, Set<String>> promises = new TreeMap<>();
        for (JavaClass type : classes) {
            boolean promise = type.getModifiers().contains(JavaModifier.PUBLIC)
                    && type.isTopLevelClass()
                    && !type.getPackageName().endsWith(".internal")
                    && !NO_PROMISE.contains(type.getPackageName());
            if (promise && !PROGRAMS.contains(module.apply(type))) {
                promises.computeIfAbsent(module.apply(type), key -> new TreeSet<>())
                        .add(type.getName());
            }
        }
        return promises;
    }

    /** Reads {@code module: Type Type …}; a line that begins with a blank goes on with the module of the one before. */
    private static Map<String, Set<String>> listed() {
        Map<String, Set<String>> doors = new TreeMap<>();
        String module = "";
        for (String line : text().split("\n")) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String types = line;
            if (!line.startsWith(" ")) {
                int colon = line.indexOf(':');
                module = line.substring(0, colon);
                types = line.substring(colon + 1);
            }
            Set<String> ofModule = doors.computeIfAbsent(module, key -> new TreeSet<>());
            Arrays.stream(types.strip().split("\\s+"))
                    .filter(type -> !type.isEmpty())
                    .forEach(ofModule::add);
        }
        return doors;
    }

    private static String text() {
        try (InputStream file = DoorsTest.class.getResourceAsStream("doors.txt")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
