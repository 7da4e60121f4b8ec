// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;

/** Says where the time of a build's tests went: {@code java SlowestTests.java ROOT}, after {@code ./mvnw verify}. */
final class SlowestTests {

    private static final int SHOWN = 20;

    private record Suite(String module, String name, double seconds) {}

    private SlowestTests() {}

    public static void main(String[] args) throws Exception {
        Path root = Path.of(args[0]).toRealPath();
        List<Suite> suites = new ArrayList<>();
        try (Stream<Path> files = Files.find(root, 6, (file, attributes) -> isReport(file))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Element suite = DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(file.toFile())
                        .getDocumentElement();
                String name = suite.getAttribute("name");
                suites.add(new Suite(
                        root.relativize(file.getParent().getParent().getParent())
                                .toString(),
                        name.substring(name.lastIndexOf('.') + 1),
                        Double.parseDouble(suite.getAttribute("time").replace(",", ""))));
            }
        }
        Map<String, Double> modules = new TreeMap<>();
        suites.forEach(suite -> modules.merge(suite.module, suite.seconds, Double::sum));
        suites.sort(Comparator.comparingDouble(Suite::seconds).reversed());
        modules.forEach((module, seconds) -> print(seconds, module));
        System.out.println("of which");
        suites.stream().limit(SHOWN).forEach(suite -> print(suite.seconds, suite.module + " " + suite.name));
    }

    private static boolean isReport(Path file) {
        String name = file.getFileName().toString();
        String directory = file.getParent().getFileName().toString();
        return name.startsWith("TEST-")
                && name.endsWith(".xml")
                && (directory.equals("surefire-reports") || directory.equals("failsafe-reports"));
    }

    private static void print(double seconds, String what) {
        System.out.println(String.format(Locale.ROOT, "%6.0f s  %s", seconds, what));
    }
}
