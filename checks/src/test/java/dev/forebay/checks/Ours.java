// SPDX-License-Identifier: Apache-2.0
package dev.forebay.checks;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The main classes of every module, as they were built. */
final class Ours {

    static final String ROOT = "dev.forebay";

    static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    /** A module's classes in its directory, or in its jar there. */
    private static final Pattern BUILT = Pattern.compile("/(samples/)?([a-z-]+)/target/");

    /** A module's jar in a Maven repository. */
    private static final Pattern ARTIFACT = Pattern.compile("/dev/forebay/forebay-([a-z-]+)/");

    private Ours() {}

    /** Returns the directory of the module that {@code type} belongs to. */
    static String module(JavaClass type) {
        String place = type.getSource().orElseThrow().getUri().toString();
        Matcher built = BUILT.matcher(place);
        if (built.find()) {
            return built.group(1) == null ? built.group(2) : "samples";
        }
        Matcher artifact = ARTIFACT.matcher(place);
        if (artifact.find()) {
            return artifact.group(1);
        }
        throw new IllegalStateException(type.getName() + " comes from no module: " + place);
    }
}
