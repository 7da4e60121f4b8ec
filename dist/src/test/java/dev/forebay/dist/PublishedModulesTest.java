// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What Maven Central asks of each artifact, held against the POMs of all that are published. */
class PublishedModulesTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** A part of a POM, and that it may come from the parent. */
    private static final Map<String, Boolean> ASKED = Map.of(
            "name", false,
            "description", false,
            "url", true,
            "licenses", true,
            "developers", true,
            "scm", true);

    private final Element parent = pom(ROOT.resolve("pom.xml"));

    @Test
    void haveAllThatCentralAsksFor() throws Exception {
        List<String> missing = new ArrayList<>();
        published()
                .forEach((module, pom) -> ASKED.forEach((part, inherits) -> {
                    Element found = child(pom, part);
                    Element used = found == null && inherits ? child(parent, part) : found;
                    if (used == null || used.getTextContent().isBlank()) {
                        missing.add(module + " has no " + part);
                    }
                }));
        assertEquals(List.of(), missing);
        assertTrue(published().containsKey("pool"), published().keySet().toString());
    }

    @Test
    void areTheLibrariesAndNothingElse() throws Exception {
        Set<String> unpublished = new TreeSet<>(modules());
        unpublished.removeAll(published().keySet());
        for (String module : unpublished) {
            assertTrue(
                    Set.of("bench", "checks", "dist").contains(module) || module.startsWith("samples"),
                    "not published: " + module);
        }
        assertTrue(unpublished.containsAll(Set.of("bench", "checks", "dist")), unpublished.toString());
    }

    /** What a library depends on at run time, its users have to be able to get. */
    @Test
    void dependOnPublishedModulesOnly() throws Exception {
        Set<String> names = new TreeSet<>();
        published().keySet().forEach(module -> names.add("forebay-" + module));
        published().forEach((module, pom) -> {
            Element dependencies = child(pom, "dependencies");
            for (Element one : dependencies == null ? List.<Element>of() : children(dependencies, "dependency")) {
                String name = child(one, "artifactId").getTextContent();
                boolean ours = child(one, "groupId").getTextContent().equals("dev.forebay");
                assertFalse(ours && !names.contains(name), module + " depends on " + name);
            }
        });
    }

    private Map<String, Element> published() {
        Map<String, Element> all = new TreeMap<>();
        for (String module : modules()) {
            Element pom = pom(ROOT.resolve(module).resolve("pom.xml"));
            Element properties = child(pom, "properties");
            Element skip = properties == null ? null : child(properties, "maven.deploy.skip");
            if (skip == null || !skip.getTextContent().equals("true")) {
                all.put(module, pom);
            }
        }
        return all;
    }

    private List<String> modules() {
        return children(child(parent, "modules"), "module").stream()
                .map(Element::getTextContent)
                .toList();
    }

    private static Element pom(Path file) {
        try {
            assertTrue(Files.isRegularFile(file), file.toString());
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(file.toFile())
                    .getDocumentElement();
        } catch (Exception e) {
            throw new AssertionError(file + " cannot be read", e);
        }
    }

    private static Element child(Element parent, String name) {
        List<Element> found = children(parent, name);
        return found.isEmpty() ? null : found.get(0);
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
}
