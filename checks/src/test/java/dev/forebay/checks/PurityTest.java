// SPDX-License-Identifier: Apache-2.0
package dev.forebay.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import com.tngtech.archunit.lang.FailureReport;
import dev.forebay.checks.fixture.Impure;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * The rules of DSQL stand apart from the server that enforces them: they open no socket, start no thread, read no clock
 * and throw no dice of their own, so that the simulator can run them.
 */
class PurityTest {

    private static final String[] PURE = {"dev.forebay.model..", "dev.forebay.local.sql..", "dev.forebay.local.iam.."};
    private static final String MODEL = "dev.forebay.model..";

    private static final JavaClasses FIXTURE = new ClassFileImporter().importClasses(Impure.class);

    @Test
    void theRulesOfDsqlReachNeitherTheServerNorTheNetwork() {
        outside(PURE).check(Ours.CLASSES);
    }

    @Test
    void theRulesOfDsqlHaveNoClockNoThreadsAndNoChanceOfTheirOwn() {
        banned(PURE).check(Ours.CLASSES);
    }

    @Test
    void theModelKnowsNoWallClock() {
        wallClock(MODEL).check(Ours.CLASSES);
    }

    /** The negative control: each method of the fixture is caught. */
    @Test
    void everyImpurityIsCaught() {
        String fixture = "dev.forebay.checks.fixture..";
        Set<String> missed = new TreeSet<>();
        FIXTURE.get(Impure.class).getMethods().forEach(method -> missed.add(method.getName()));
        assertEquals(9, missed.size());
        for (ArchRule rule : List.of(outside(fixture), banned(fixture), wallClock(fixture))) {
            EvaluationResult result = rule.evaluate(FIXTURE);
            assertTrue(result.hasViolation(), rule::getDescription);
            FailureReport report = result.getFailureReport();
            missed.removeIf(
                    name -> report.getDetails().stream().anyMatch(line -> line.contains("Impure." + name + "(")));
        }
        assertEquals(Set.of(), missed);
    }

    private static ArchRule wallClock(String packages) {
        return noClasses()
                .that()
                .resideInAPackage(packages)
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.time\\.(Instant|InstantSource|Clock|LocalDateTime|ZonedDateTime)");
    }

    private static ArchRule outside(String... packages) {
        return noClasses()
                .that()
                .resideInAnyPackage(packages)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.forebay.local",
                        "dev.forebay.wire..",
                        "io.netty..",
                        "java.net..",
                        "java.nio.channels..",
                        "java.nio.file..",
                        "javax.net..");
    }

    private static ArchRule banned(String... packages) {
        return noClasses()
                .that()
                .resideInAnyPackage(packages)
                .should()
                .accessTargetWhere(describe(
                        "is a clock, a thread or chance",
                        access -> access instanceof JavaCodeUnitAccess<?> call && isBanned(call)));
    }

    private static boolean isBanned(JavaCodeUnitAccess<?> call) {
        String owner = call.getTargetOwner().getName();
        String name = call.getName();
        if (owner.equals(System.class.getName())) {
            return name.equals("nanoTime") || name.equals("currentTimeMillis");
        }
        if (call.getTargetOwner().isAssignableTo(Random.class)) {
            return name.equals("<init>") || name.equals("current");
        }
        if (owner.equals(RandomGenerator.class.getName())) {
            return name.equals("of") || name.equals("getDefault");
        }
        if (call.getTargetOwner().isAssignableTo(InstantSource.class)) {
            return name.startsWith("system");
        }
        return call.getTargetOwner().isAssignableTo(Thread.class)
                || owner.matches("java\\.util\\.(SplittableRandom|Timer|concurrent\\.Executors)")
                || (owner.startsWith("java.time.") && name.equals("now"))
                || (owner.equals(Math.class.getName()) && name.equals("random"))
                || name.equals("randomUUID");
    }
}
