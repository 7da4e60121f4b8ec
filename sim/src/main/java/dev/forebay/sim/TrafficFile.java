// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.model.ValueText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reads a recording of traffic: a CSV with {@code seconds,factor} in each line. Stateless. */
final class TrafficFile {

    private static final String HEADING = "seconds,factor";
    private static final long LARGEST = 16 << 20;
    private static final double MOST = 1_000;

    private TrafficFile() {}

    /**
     * Reads {@code file}.
     *
     * @throws IllegalArgumentException naming the file, the line and what is wrong
     */
    static Traffic.Replay read(Path file) {
        List<String> lines;
        try {
            if (Files.size(file) > LARGEST) {
                throw new IllegalArgumentException(file + " is larger than 16 MiB");
            }
            lines = Files.readAllLines(file);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException("there is no file " + file, e);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " cannot be read: " + e, e);
        }
        List<Traffic.Step> steps = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (i == 0 && line.equals(HEADING)) {
                continue;
            }
            try {
                steps.add(step(line, steps));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(file + ":" + (i + 1) + ": " + e.getMessage(), e);
            }
        }
        if (steps.isEmpty()) {
            throw new IllegalArgumentException(file + " has no line of the form " + HEADING);
        }
        return new Traffic.Replay(steps);
    }

    private static Traffic.Step step(String line, List<Traffic.Step> before) {
        String[] fields = line.split(",", -1);
        if (fields.length != 2) {
            throw new IllegalArgumentException(YamlBlock.quoted(line) + " is not of the form " + HEADING);
        }
        double seconds = ValueText.number(fields[0].strip());
        double factor = ValueText.number(fields[1].strip());
        if (factor > MOST) {
            throw new IllegalArgumentException("a factor of more than 1000: " + fields[1].strip());
        }
        Duration at = Duration.ofNanos((long) (seconds * 1e9));
        if (!before.isEmpty() && before.get(before.size() - 1).at().compareTo(at) >= 0) {
            throw new IllegalArgumentException(fields[0].strip() + " s is not after the line before");
        }
        return new Traffic.Step(at, factor);
    }
}
