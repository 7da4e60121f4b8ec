// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.results;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The lines of one run of all comparisons, as they were printed, after a line about the machine.
 *
 * @param day the day it was made
 * @param lines what the file holds
 */
record Results(LocalDate day, List<String> lines) {

    /** The runs that a claim needs. */
    static final int RUNS = 3;

    static final Path FOLDER = Path.of("bench", "results");
    static final String COMMENT = "# ";

    private static final Pattern NAME = Pattern.compile("(\\d{4}-\\d\\d-\\d\\d)-(\\d+)\\.txt");
    private static final String NUMBER = "(>?[0-9][0-9,]*(?:\\.[0-9]+)?)";

    /** Returns the last runs in {@code folder}, {@link #RUNS} of them, the earliest first; none if there are fewer. */
    static List<Results> last(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        List<Matcher> names;
        try (Stream<Path> files = Files.list(folder)) {
            names = files.map(file -> NAME.matcher(file.getFileName().toString()))
                    .filter(Matcher::matches)
                    .sorted(Comparator.<Matcher, String>comparing(name -> name.group(1))
                            .thenComparing(name -> Integer.valueOf(name.group(2))))
                    .toList();
        }
        if (names.size() < RUNS) {
            return List.of();
        }
        Results[] runs = new Results[RUNS];
        for (int i = 0; i < RUNS; i++) {
            Matcher name = names.get(names.size() - RUNS + i);
            runs[i] = new Results(LocalDate.parse(name.group(1)), Files.readAllLines(folder.resolve(name.group())));
        }
        return List.of(runs);
    }

    /** Returns the first line, which names the machine and the versions. */
    String machine() {
        return lines.get(0).substring(COMMENT.length());
    }

    /**
     * Returns a figure as it was printed, null if there is none.
     *
     * @param start the beginning of its line
     * @param subject the name before it, if the line has figures of several: it stands before the next comma
     * @param figure the text around it, {@code #} in its place
     */
    @Nullable
    String figure(String start, @Nullable String subject, String figure) {
        Pattern pattern = Pattern.compile(Pattern.quote(figure).replace("#", "\\E" + NUMBER + "\\Q"));
        String name = subject == null ? "" : subject + " ";
        return lines.stream()
                .filter(line -> line.startsWith(start))
                .map(line -> line.substring(start.length()))
                .flatMap(rest -> subject == null ? Stream.of(rest) : Stream.of(rest.split("[,;] ")))
                .map(part -> subject == null ? part : part.strip())
                .filter(part -> part.startsWith(name))
                .map(part -> pattern.matcher(part.substring(Math.max(0, name.length() - 1))))
                .filter(Matcher::find)
                .map(found -> found.group(1))
                .findFirst()
                .orElse(null);
    }
}
