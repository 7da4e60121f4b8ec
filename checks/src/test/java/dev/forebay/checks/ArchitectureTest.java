// SPDX-License-Identifier: Apache-2.0
package dev.forebay.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.forebay.engine.fixture.Misplaced;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which package may know which. */
class ArchitectureTest {

    /**
     * From the bottom up: a package may use itself and what it lists, and nothing else of ours. Each lists only packages
     * above it, so there is no cycle.
     */
    private static final List<Layer> LAYERS = List.of(
            // engine
            new Layer("time"),
            new Layer("engine.internal", "time"),
            new Layer("engine", "engine.internal", "time"),
            // tx
            new Layer("tx.internal"),
            new Layer("tx", "tx.internal", "engine", "engine.internal", "time"),
            // fleet
            new Layer("fleet", "engine", "engine.internal", "time"),
            // pool
            new Layer("spi", "tx"),
            new Layer("jdbc", "spi", "tx", "tx.internal", "engine", "time"),
            new Layer("", "jdbc", "spi", "tx", "tx.internal", "engine", "engine.internal", "time"),
            // registry
            new Layer("registry", "spi", "tx.internal", "engine", "engine.internal", "time"),
            new Layer("registry.jdbc", "registry", "", "jdbc", "spi", "tx.internal", "engine", "time"),
            // micrometer
            new Layer("micrometer", "engine", "time"),
            // model
            new Layer("model.yaml", "engine.internal"),
            new Layer("model", "engine", "engine.internal"),
            // wire
            new Layer("wire"),
            // local
            new Layer("local.sql", "time"),
            new Layer("local.iam"),
            new Layer("local", "local.sql", "local.iam", "model", "wire", "time"),
            new Layer("local.junit", "local", "model", "engine.internal"),
            // dsql
            new Layer("dsql", "", "jdbc", "spi", "fleet", "tx", "tx.internal", "engine", "engine.internal", "time"),
            // sim
            new Layer("sim", "", "fleet", "model", "model.yaml", "engine", "engine.internal", "time"),
            new Layer("sim.report", "sim", "", "model", "engine.internal"),
            // temporal
            new Layer("temporal", "tx", "tx.internal"),
            // spring-boot-starter
            new Layer(
                    "spring",
                    "dsql",
                    "micrometer",
                    "",
                    "spi",
                    "fleet",
                    "tx",
                    "tx.internal",
                    "engine",
                    "engine.internal",
                    "time"));

    /** The commands put everything together, and the benchmarks measure anything: between modules nothing binds them. */
    private static final Set<String> FREE = Set.of("console", "bench", "sample");

    /** A package, by what follows {@code dev.forebay}, and the packages it may use. */
    private record Layer(String name, Set<String> mayUse) {
        Layer(String name, String... mayUse) {
            this(name, Set.of(mayUse));
        }

        ArchRule rule() {
            Set<String> allowed = new TreeSet<>();
            allowed.add(qualified(name));
            mayUse.forEach(used -> allowed.add(qualified(used)));
            DescribedPredicate<JavaClass> other = describe(
                    "another package of ours than " + allowed,
                    type -> isOurs(type) && !allowed.contains(type.getPackageName()));
            return noClasses().that().resideInAPackage(qualified(name)).should().dependOnClassesThat(other);
        }

        @Override
        public String toString() {
            return qualified(name);
        }
    }

    private static final ArchRule METRICS_APART = noClasses()
            .that()
            .resideOutsideOfPackages(
                    qualified("micrometer"), qualified("spring.."), qualified("console.."), qualified("bench.."))
            .should()
            .dependOnClassesThat(resideInAPackage("io.micrometer.."))
            .because("who wants a pool need not want Micrometer");

    private static final ArchRule SQL_APART = noClasses()
            .that()
            .resideInAnyPackage(
                    qualified("engine.."),
                    qualified("time"),
                    qualified("fleet"),
                    qualified("model.."),
                    qualified("sim.."))
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.sql..", "javax.sql.."))
            .because("the engine pools anything, and the simulator pools plain tokens");

    private static final ArchRule CLOUD_APART = noClasses()
            .that()
            .resideOutsideOfPackages(
                    qualified("dsql"), qualified("console.."), qualified("bench.."), qualified("spring.."))
            .should()
            .dependOnClassesThat(resideInAnyPackage("software.amazon..", "com.amazonaws.."))
            .because("who wants only the pool gets no AWS SDK, and no table to set up");

    private static final ArchRule NO_PUBLIC_FIELDS = fields().that(describe(
                    "are not constants",
                    field -> !field.getModifiers().containsAll(Set.of(JavaModifier.STATIC, JavaModifier.FINAL))
                            && isBound(field.getOwner())))
            .should()
            .notBePublic();

    private static final ArchRule LOGGING_THROUGH_SLF4J = noClasses()
            .that(describe("are of a library", ArchitectureTest::isBound))
            .should()
            .accessClassesThat(resideInAPackage("java.util.logging.."))
            .orShould()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err")
            .because("a library logs through SLF4J; javax.sql.DataSource names the other logger in a signature only");

    static Stream<Layer> layers() {
        return LAYERS.stream();
    }

    @ParameterizedTest
    @MethodSource("layers")
    void aPackageUsesOnlyWhatItsLayerMay(Layer layer) {
        layer.rule().check(Ours.CLASSES);
    }

    @Test
    void everyPackageHasALayer() {
        Set<String> unknown = new TreeSet<>();
        Ours.CLASSES.stream().filter(ArchitectureTest::isBound).forEach(type -> unknown.add(type.getPackageName()));
        layers().map(Layer::toString).forEach(unknown::remove);
        assertTrue(unknown.isEmpty(), () -> "say in ArchitectureTest what these packages may use: " + unknown);
    }

    @Test
    void layersStandOnThoseBelowThem() {
        List<String> upwards = new ArrayList<>();
        Set<String> below = new TreeSet<>();
        for (Layer layer : LAYERS) {
            layer.mayUse.stream()
                    .filter(used -> !below.contains(used))
                    .forEach(used -> upwards.add(layer + " uses " + used));
            below.add(layer.name);
        }
        assertEquals(List.of(), upwards);
    }

    @Test
    void onlyTheBinderAndWhoShowsMetricsKnowMicrometer() {
        METRICS_APART.check(Ours.CLASSES);
    }

    @Test
    void theEngineAndItsSimulatorKnowNoSql() {
        SQL_APART.check(Ours.CLASSES);
    }

    @Test
    void onlyDsqlKnowsTheCloud() {
        CLOUD_APART.check(Ours.CLASSES);
    }

    @Test
    void noFieldIsPublic() {
        NO_PUBLIC_FIELDS.check(Ours.CLASSES);
    }

    @Test
    void everythingLogsThroughSlf4j() {
        LOGGING_THROUGH_SLF4J.check(Ours.CLASSES);
    }

    /** The negative control: a class that breaks each rule. */
    @ParameterizedTest
    @MethodSource("rulesBrokenByTheFixture")
    void aBreachIsFound(ArchRule rule) {
        JavaClasses fixture = new ClassFileImporter().importClasses(Misplaced.class);
        assertThrows(AssertionError.class, () -> rule.check(fixture));
    }

    static Stream<ArchRule> rulesBrokenByTheFixture() {
        return Stream.of(
                new Layer("engine.fixture", "engine").rule(),
                METRICS_APART,
                SQL_APART,
                CLOUD_APART,
                NO_PUBLIC_FIELDS,
                LOGGING_THROUGH_SLF4J);
    }

    private static String qualified(String name) {
        return name.isEmpty() ? Ours.ROOT : Ours.ROOT + "." + name;
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().equals(Ours.ROOT) || type.getPackageName().startsWith(Ours.ROOT + ".");
    }

    private static boolean isBound(JavaClass type) {
        String inside = type.getPackageName().substring(Ours.ROOT.length());
        return inside.isEmpty() || !FREE.contains(inside.substring(1).replaceFirst("\\..*", ""));
    }
}
