// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of the project in Markdown, taken apart: commands, files to write down, headings, links and options.
 *
 * <h2>What counts as a command</h2>
 *
 * In a block that is fenced as {@code bash}, each line. In one with lines that begin with {@code $}, these. In any other block without a
 * language, fenced or indented, a line that begins with a program we know. In prose and tables, a code span that does. A block whose first
 * line is a comment with nothing but a file's name is that file.
 */
record Document(
        String name,
        List<Command> commands,
        Map<String, String> files,
        Set<String> anchors,
        Set<String> links,
        String text) {

    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** The programs by which a command is known where not every line is one. */
    private static final Pattern PROGRAM = Pattern.compile(
            "(?:[A-Z_]+=(?:\\$\\([^)]*\\)|\\S*) +)*"
                    + "(?:\\./forebay|\\./mvnw|bench/run|samples/run|bin/forebay|\\.ci/\\w+|psql|curl|docker|java|mvn|git|openssl|promtool)(?: .*)?");

    /** A program's name alone, which says nothing to run; scripts of ours do. */
    private static final Pattern NAME_ONLY = Pattern.compile(
            "\\./forebay|\\./mvnw|bench/run|samples/run|bin/forebay|psql|curl|docker|java|mvn|git|openssl|promtool");

    private static final Pattern FENCE = Pattern.compile("^( *)```(\\w*)$");
    private static final Pattern FILE = Pattern.compile("^(?:#|//|<!--) ([\\w./-]+\\.\\w+)(?: -->)?$");
    private static final Pattern SPAN = Pattern.compile("`([^`]+)`");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

    /**
     * A command.
     *
     * @param mentioned whether it is named in a sentence or a table, rather than shown in a block
     */
    record Command(String text, boolean mentioned) {}

    /** Every page but those that a build has written. */
    static List<Document> all() {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .map(ROOT::relativize)
                    .filter(file -> Stream.of(file.toString().split("/"))
                            .noneMatch(part ->
                                    part.equals("target") || part.startsWith(".") || part.equals("node_modules")))
                    .sorted()
                    .map(Document::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Document read(Path file) {
        try {
            return of(file.toString(), Files.readString(ROOT.resolve(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Document of(String name, String text) {
        Document document = new Document(
                name, new ArrayList<>(), new LinkedHashMap<>(), new HashSet<>(), new LinkedHashSet<>(), text);
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); ) {
            i = document.take(lines, i);
        }
        return document;
    }

    /** Takes the block or the line at {@code i}, and says where the next begins. */
    private int take(List<String> lines, int i) {
        String line = lines.get(i);
        Matcher fence = FENCE.matcher(line);
        if (fence.matches()) {
            int end = i + 1;
            while (!lines.get(end).equals(fence.group(1) + "```")) {
                end++;
            }
            int indentation = fence.group(1).length();
            takeBlock(
                    fence.group(2),
                    lines.subList(i + 1, end).stream()
                            .map(inside -> inside.substring(Math.min(indentation, inside.length())))
                            .toList());
            return end + 1;
        }
        if (line.startsWith("    ") && i > 0 && lines.get(i - 1).isBlank()) {
            int end = i;
            while (end < lines.size() && lines.get(end).startsWith("    ")) {
                end++;
            }
            takeBlock(
                    "",
                    lines.subList(i, end).stream()
                            .map(inside -> inside.substring(4))
                            .toList());
            return end;
        }
        takeProse(line);
        return i + 1;
    }

    private void takeBlock(String language, List<String> lines) {
        Matcher file = FILE.matcher(lines.isEmpty() ? "" : lines.get(0));
        if (file.matches()) {
            files.put(file.group(1), String.join("\n", lines) + "\n");
            return;
        }
        if (!Set.of("", "bash").contains(language)) {
            return;
        }
        boolean isSession = lines.stream().anyMatch(line -> line.startsWith("$ "));
        for (String line : joined(lines)) {
            if (isSession && line.startsWith("$ ")) {
                commands.add(new Command(line.substring(2), false));
            } else if (!isSession
                    && (language.equals("bash") || PROGRAM.matcher(line).matches() || line.startsWith("export "))) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    commands.add(new Command(line, false));
                }
            }
        }
    }

    /** With what a backslash continues in one line. */
    private static List<String> joined(List<String> lines) {
        return String.join("\n", lines).replaceAll(" *\\\\\n *", " ").lines().toList();
    }

    private void takeProse(String line) {
        if (line.startsWith("#")) {
            anchors.add(anchor(line));
        }
        LINK.matcher(line).results().forEach(link -> links.add(link.group(1)));
        SPAN.matcher(line)
                .results()
                .map(span -> span.group(1).strip())
                .filter(span -> PROGRAM.matcher(span).matches()
                        && !NAME_ONLY.matcher(span).matches())
                .forEach(span -> commands.add(new Command(span, true)));
    }

    /** The name of a heading in a link. */
    private static String anchor(String heading) {
        return heading.replaceFirst("^#+ +", "")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }

    @Override
    public String toString() {
        return name;
    }
}
