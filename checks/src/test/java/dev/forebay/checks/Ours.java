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

    /** Where a module's classes come from: its directory, or its jar once that is made. */
    private static final Pattern MODULE = Pattern.compile("/(samples/)?([a-z-]+)/target/");

    private Ours() {}

    /** The directory of the module that {@code type} belongs to. */
    static String module(JavaClass type) {
        String place = type.getSource().orElseThrow().getUri().toString();
        Matcher matcher = MODULE.matcher(place);
        if (!matcher.find()) {
            throw new IllegalStateException(type.getName() + " comes from no module: " + place);
        }
        return matcher.group(1) == null ? matcher.group(2) : "samples";
    }
}
