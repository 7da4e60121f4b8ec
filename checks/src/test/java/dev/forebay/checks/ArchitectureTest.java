// SPDX-License-Identifier: Apache-2.0
package dev.forebay.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.forebay.checks.fixture.Misplaced;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which package may know which. A rule about a package that does not exist yet holds. */
class ArchitectureTest {
    private static final String ROOT = "dev.forebay";

    /** From the bottom up. A package may use itself and what it lists, and nothing else of ours. */
    private static final Layer[] LAYERS = {
        new Layer("time"),
        new Layer("pool", "event", "time"),
        new Layer("event", "pool", "time"),
        new Layer("fleet", "pool", "event", "time"),
        new Layer("jdbc", "pool", "event", "time"),
        new Layer("tx", "jdbc", "pool", "event", "time"),
        new Layer("", "tx", "jdbc", "fleet", "pool", "event", "time"),
        new Layer("registry", "", "tx", "jdbc", "fleet", "pool", "event", "time"),
    };

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_JARS)
            .importPackages(ROOT);

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
            return noClasses()
                    .that()
                    .resideInAPackage(qualified(name))
                    .should()
                    .dependOnClassesThat(other)
                    .allowEmptyShould(true);
        }

        @Override
        public String toString() {
            return qualified(name);
        }
    }

    private static final ArchRule METRICS_IN_ONE_CLASS = noClasses()
            .that(describe(
                    "are not the Micrometer binder",
                    type -> !type.getName().startsWith(ROOT + ".event.")
                            || !type.getName().contains("Micrometer")))
            .should()
            .dependOnClassesThat(resideInAPackage("io.micrometer.."))
            .because("Micrometer is optional: without it, only its binder may fail to load");

    private static final ArchRule SQL_IN_THE_JDBC_PACKAGES = noClasses()
            .that()
            .resideOutsideOfPackages(ROOT, ROOT + ".jdbc..", ROOT + ".tx..", ROOT + ".registry..")
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.sql..", "javax.sql.."))
            .because("the engine pools anything, and the simulator pools plain tokens");

    private static final ArchRule NO_PUBLIC_FIELDS = fields().that(describe(
                    "are not constants",
                    field -> !field.getModifiers().containsAll(Set.of(JavaModifier.STATIC, JavaModifier.FINAL))))
            .should()
            .notBePublic()
            .allowEmptyShould(true);

    private static final ArchRule LOGGING_THROUGH_SLF4J = noClasses()
            .should()
            .accessClassesThat(resideInAPackage("java.util.logging.."))
            .orShould()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err")
            .because("a library logs through SLF4J; javax.sql.DataSource names the other logger in a signature only");

    static Stream<Layer> layers() {
        return Stream.of(LAYERS);
    }

    @ParameterizedTest
    @MethodSource("layers")
    void aPackageUsesOnlyWhatItsLayerMay(Layer layer) {
        layer.rule().check(MAIN);
    }

    @Test
    void everyPackageHasALayer() {
        Set<String> unknown = new TreeSet<>();
        MAIN.forEach(type -> unknown.add(type.getPackageName()));
        layers().map(Layer::toString).forEach(unknown::remove);
        assertTrue(unknown.isEmpty(), () -> "say in ArchitectureTest what these packages may use: " + unknown);
    }

    @Test
    void onlyTheBinderKnowsMicrometer() {
        METRICS_IN_ONE_CLASS.check(MAIN);
    }

    @Test
    void onlyTheJdbcPackagesKnowSql() {
        SQL_IN_THE_JDBC_PACKAGES.check(MAIN);
    }

    /** Whoever wants only the pool gets no AWS SDK, and no table to set up. */
    @Test
    void nothingHereKnowsTheCloud() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("software.amazon..", "com.amazonaws.."))
                .check(MAIN);
    }

    @Test
    void noFieldIsPublic() {
        NO_PUBLIC_FIELDS.check(MAIN);
    }

    @Test
    void everythingLogsThroughSlf4j() {
        LOGGING_THROUGH_SLF4J.check(MAIN);
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
                new Layer("arch.fixture", "pool").rule(),
                METRICS_IN_ONE_CLASS,
                SQL_IN_THE_JDBC_PACKAGES,
                NO_PUBLIC_FIELDS,
                LOGGING_THROUGH_SLF4J);
    }

    private static String qualified(String name) {
        return name.isEmpty() ? ROOT : ROOT + "." + name;
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().equals(ROOT) || type.getPackageName().startsWith(ROOT + ".");
    }
}
