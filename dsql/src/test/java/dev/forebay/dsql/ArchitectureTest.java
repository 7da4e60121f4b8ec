// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** What this module may know, and which calls hide time, chance or threads from a test. */
class ArchitectureTest {

    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.forebay");

    /** The front door puts the real world together. */
    private static final Set<String> ROOMS =
            Set.of("dev.forebay.dsql.AuroraDsql", "dev.forebay.dsql.Fleet", "dev.forebay.dsql.Threads");

    /** What is called, and what to use instead. */
    private static final Map<String, String> BANS = Map.of(
            "java.lang.System.(nanoTime|currentTimeMillis|getenv)", "Time, an InstantSource or an argument",
            "java.time..*.now", "an InstantSource given by constructor",
            "java.lang.Thread.(sleep|start|<init>)", "Time.schedule, or an Executor given by constructor",
            "java.util.concurrent.Executors..*", "an Executor given by constructor",
            "java.util.random.RandomGenerator.(getDefault|of)", "a RandomGenerator given by constructor",
            "java.util.UUID.randomUUID", "an identity given by constructor",
            "java.util.concurrent.CompletableFuture.(orTimeout|completeOnTimeout)", "Time.schedule");

    @Test
    void onlyThisModuleKnowsTheCloud() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.forebay.dsql..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("software.amazon..", "com.amazonaws.."))
                .check(OURS);
    }

    @Test
    void theLocalServerIsForTests() {
        noClasses()
                .that()
                .resideInAPackage("dev.forebay.dsql..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("dev.forebay.local..", "dev.forebay.wire.."))
                .check(OURS);
    }

    @Test
    void onlyClassesThatSaySoKnowMicrometer() {
        noClasses()
                .that()
                .resideInAPackage("dev.forebay.dsql..")
                .and()
                .haveSimpleNameNotContaining("Micrometer")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.micrometer.."))
                .because("Micrometer is optional")
                .check(OURS);
    }

    @Test
    void nothingOutsideItsRoomMakesABannedCall() {
        List<String> breaches = new ArrayList<>();
        for (JavaClass type : OURS) {
            if (type.getPackageName().equals("dev.forebay.dsql")
                    && !ROOMS.contains(type.getName().replaceFirst("\\$.*", ""))) {
                breaches.addAll(breaches(type));
            }
        }
        assertEquals(List.of(), breaches);
    }

    /** The negative control. */
    @Test
    void aBannedCallIsSeen() {
        List<String> seen = breaches(new ClassFileImporter().importClass(Banned.class));
        for (String ban : List.of("System.nanoTime", "Instant.now", "RandomGenerator.getDefault", "Thread.<init>")) {
            assertTrue(seen.stream().anyMatch(breach -> breach.contains(ban)), () -> ban + " is not in " + seen);
        }
    }

    private static List<String> breaches(JavaClass type) {
        List<String> breaches = new ArrayList<>();
        for (JavaAccess<?> access : type.getAccessesFromSelf()) {
            String called = access.getTargetOwner().getName() + "." + access.getName();
            BANS.forEach((ban, instead) -> {
                if (called.matches(ban)) {
                    breaches.add(access.getOrigin().getFullName() + " calls " + called + "; use " + instead);
                }
            });
        }
        return breaches;
    }

    @SuppressWarnings("unused")
    private static final class Banned {
        long banned() {
            return System.nanoTime()
                    + Instant.now().getNano()
                    + RandomGenerator.getDefault().nextInt();
        }

        Thread bannedToo() {
            return new Thread(() -> {});
        }
    }
}
