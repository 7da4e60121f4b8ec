// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Drivers in jars beside the program. */
final class DriverJars {

    private DriverJars() {}

    /**
     * Returns a loader of the classes in the jars of {@code directory} and of the program's.
     *
     * @throws IllegalArgumentException if it is no directory
     */
    static ClassLoader in(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new IllegalArgumentException("--driver-path: there is no directory " + directory);
        }
        try (Stream<Path> files = Files.list(directory)) {
            URL[] jars = files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .map(DriverJars::url)
                    .toArray(URL[]::new);
            return new URLClassLoader("drivers", jars, DriverJars.class.getClassLoader());
        }
    }

    private static URL url(Path file) {
        try {
            return file.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }
}
