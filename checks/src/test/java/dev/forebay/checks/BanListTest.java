// SPDX-License-Identifier: Apache-2.0
package dev.forebay.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassReader;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.MethodVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Opcodes;
import dev.forebay.checks.fixture.Banned;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/**
 * Calls that are forbidden by name, each with what to use instead. They hide time, chance or threads from the
 * simulator, which runs the very classes that run in production. The rooms are the classes that may: those in which the
 * real world is put together.
 */
class BanListTest {
    /** Programs that run on this machine and in its time. Nothing simulates them, and no virtual thread runs in them. */
    private static final Set<String> PROGRAMS = Set.of("console", "bench", "samples");

    private static final Set<String> CLOCK_ROOMS = Set.of(
            "dev.forebay.time.SystemTime",
            "dev.forebay.local.BackingPostgres", // waits for a process
            "dev.forebay.spring.Drain"); // holds up the shutdown of an application
    private static final Set<String> THREAD_ROOMS = Set.of(
            "dev.forebay.time.SystemTime",
            "dev.forebay.jdbc.JdbcConnector",
            "dev.forebay.ShutdownHook",
            "dev.forebay.dsql.Threads",
            "dev.forebay.local.BackingPostgres",
            "dev.forebay.spring.Drain");
    private static final Set<String> CHANCE_ROOMS = Set.of(
            "dev.forebay.ForebayDataSource",
            "dev.forebay.tx.Transactions",
            "dev.forebay.registry.Registry",
            "dev.forebay.dsql.AuroraDsql",
            "dev.forebay.dsql.Fleet",
            "dev.forebay.local.LocalDsql",
            "dev.forebay.wire.SelfSigned");
    private static final Set<String> PROCESS_ROOMS = Set.of("dev.forebay.local.BackingPostgres");
    private static final Set<String> NOWHERE = Set.of();

    private static final String CLOCK = "Time.nanos() given by constructor, or an InstantSource for the wall clock";
    private static final String LATER = "Time.schedule";
    private static final String THREADS = "an Executor or ThreadFactory given by constructor";
    private static final String CHANCE = "a RandomGenerator given by constructor";
    private static final String LOCK = "ReentrantLock: synchronized pins a virtual thread";

    private static final List<Ban> BANS = List.of(
            call("System.nanoTime", System.class, "nanoTime", CLOCK, CLOCK_ROOMS),
            call("System.currentTimeMillis", System.class, "currentTimeMillis", CLOCK, CLOCK_ROOMS),
            new Ban("java.time's now()", BanListTest::isNowWithoutAClock, CLOCK, CLOCK_ROOMS),
            call("Clock.system", Clock.class, "system.*|tick(Millis|Seconds|Minutes)", CLOCK, CLOCK_ROOMS),
            call("InstantSource.system", InstantSource.class, "system", CLOCK, CLOCK_ROOMS),
            new Ban("new Date", a -> isNew(a, Date.class) && hasNoParameters(a), CLOCK, CLOCK_ROOMS),
            call("Thread.sleep", Thread.class, "sleep", LATER, CLOCK_ROOMS),
            call("TimeUnit.sleep", TimeUnit.class, "sleep", LATER, CLOCK_ROOMS),
            creation("new Timer", Timer.class, LATER, NOWHERE),
            call(
                    "CompletableFuture's timer",
                    CompletableFuture.class,
                    "orTimeout|completeOnTimeout|delayedExecutor",
                    LATER,
                    PROCESS_ROOMS),
            creation("new Thread", Thread.class, THREADS, THREAD_ROOMS),
            call("Thread.start", Thread.class, "start|startVirtualThread|ofVirtual|ofPlatform", THREADS, THREAD_ROOMS),
            call("Executors", Executors.class, ".*", THREADS, THREAD_ROOMS),
            new Ban("the common pool", BanListTest::usesTheCommonPool, THREADS, PROCESS_ROOMS),
            call("Math.random", Math.class, "random", CHANCE, NOWHERE),
            creation("new Random", Random.class, CHANCE, CHANCE_ROOMS),
            call("ThreadLocalRandom.current", ThreadLocalRandom.class, "current", CHANCE, CHANCE_ROOMS),
            new Ban("new SplittableRandom", a -> isNew(a, SplittableRandom.class), CHANCE, CHANCE_ROOMS),
            new Ban("RandomGenerator.of", BanListTest::createsAGenerator, CHANCE, CHANCE_ROOMS),
            call("UUID.randomUUID", UUID.class, "randomUUID", "an identity given by constructor", CHANCE_ROOMS),
            new Ban("new SecureRandom", a -> isNew(a, SecureRandom.class), CHANCE, CHANCE_ROOMS),
            new Ban(
                    "ThreadLocal",
                    a -> a.getTargetOwner().isAssignableTo(ThreadLocal.class),
                    "a field or an argument: a virtual thread is used once",
                    NOWHERE));

    private record Ban(String name, Predicate<JavaCodeUnitAccess<?>> breaks, String instead, Set<String> rooms) {}

    private record Breach(String ban, String instead, String type, String method) {
        @Override
        public String toString() {
            return type + "." + method + " uses " + ban + "; use " + instead;
        }
    }

    @Test
    void nothingOutsideItsRoomMakesABannedCall() {
        List<Breach> breaches = new ArrayList<>();
        Ours.CLASSES.stream()
                .filter(type -> !PROGRAMS.contains(Ours.module(type)))
                .forEach(type -> breaches.addAll(breaches(type)));
        assertEquals(List.of(), breaches);
    }

    /** The negative control: each method of the fixture is caught, and each ban catches something. */
    @Test
    void everyBanCatchesItsFixture() {
        JavaClass fixture = new ClassFileImporter().importClass(Banned.class);
        List<Breach> breaches = breaches(fixture);

        Set<String> methods = new TreeSet<>();
        fixture.getMethods().forEach(method -> methods.add(method.getName()));
        methods.removeIf(name -> name.startsWith("lambda$"));
        breaches.forEach(breach -> methods.remove(breach.method));
        assertTrue(methods.isEmpty(), () -> "not caught: " + methods);

        Set<String> bans = new TreeSet<>(Set.of("a synchronized method", "a synchronized block"));
        BANS.forEach(ban -> bans.add(ban.name));
        breaches.forEach(breach -> bans.remove(breach.ban));
        assertTrue(bans.isEmpty(), () -> "bans that catch nothing: " + bans);
    }

    @Test
    void aRoomCoversItsNestedClassesAndNoOther() {
        assertTrue(isRoom("dev.forebay.time.SystemTime", CLOCK_ROOMS));
        assertTrue(isRoom("dev.forebay.time.SystemTime$Loop", CLOCK_ROOMS));
        assertTrue(!isRoom("dev.forebay.time.SystemTimes", CLOCK_ROOMS));
    }

    private static List<Breach> breaches(JavaClass type) {
        List<Breach> breaches = new ArrayList<>();
        for (JavaAccess<?> access : type.getAccessesFromSelf()) {
            if (!(access instanceof JavaCodeUnitAccess<?> call)) {
                continue;
            }
            for (Ban ban : BANS) {
                if (ban.breaks.test(call) && !isRoom(type.getName(), ban.rooms)) {
                    breaches.add(new Breach(
                            ban.name,
                            ban.instead,
                            type.getName(),
                            call.getOrigin().getName()));
                }
            }
        }
        breaches.addAll(monitors(type));
        return breaches;
    }

    /** Synchronized methods and blocks, read from the class file since ArchUnit does not show the latter. */
    private static List<Breach> monitors(JavaClass type) {
        List<Breach> breaches = new ArrayList<>();
        ClassVisitor visitor = new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String s, String[] thrown) {
                if ((access & Opcodes.ACC_SYNCHRONIZED) != 0) {
                    breaches.add(new Breach("a synchronized method", LOCK, type.getName(), name));
                }
                return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitInsn(int opcode) {
                        if (opcode == Opcodes.MONITORENTER) {
                            breaches.add(new Breach("a synchronized block", LOCK, type.getName(), name));
                        }
                    }
                };
            }
        };
        try (InputStream bytes = type.getSource().orElseThrow().getUri().toURL().openStream()) {
            new ClassReader(bytes).accept(visitor, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return breaches;
    }

    private static boolean isRoom(String type, Set<String> rooms) {
        return rooms.contains(type.replaceFirst("\\$.*", ""));
    }

    /** A ban on methods of {@code owner} and its subtypes whose name matches {@code names}. */
    private static Ban call(String name, Class<?> owner, String names, String instead, Set<String> rooms) {
        return new Ban(
                name,
                a -> a.getTargetOwner().isAssignableTo(owner) && a.getName().matches(names),
                instead,
                rooms);
    }

    /** A ban on creating an {@code owner} or a subtype. */
    private static Ban creation(String name, Class<?> owner, String instead, Set<String> rooms) {
        return new Ban(
                name,
                a -> a.getTargetOwner().isAssignableTo(owner) && a.getName().equals(JavaConstructor.CONSTRUCTOR_NAME),
                instead,
                rooms);
    }

    private static boolean isNew(JavaCodeUnitAccess<?> access, Class<?> type) {
        return access.getTargetOwner().isEquivalentTo(type)
                && access.getName().equals(JavaConstructor.CONSTRUCTOR_NAME);
    }

    private static boolean hasNoParameters(JavaCodeUnitAccess<?> access) {
        return access.getTarget().getRawParameterTypes().isEmpty();
    }

    private static boolean isNowWithoutAClock(JavaCodeUnitAccess<?> access) {
        return access.getTargetOwner().getPackageName().equals("java.time")
                && access.getName().equals("now")
                && access.getTarget().getRawParameterTypes().stream()
                        .noneMatch(type -> type.isEquivalentTo(Clock.class));
    }

    private static boolean usesTheCommonPool(JavaCodeUnitAccess<?> access) {
        if (access.getTargetOwner().isEquivalentTo(ForkJoinPool.class)) {
            return access.getName().equals("commonPool");
        }
        return access.getTargetOwner().isAssignableTo(CompletableFuture.class)
                && access.getName().endsWith("Async")
                && access.getTarget().getRawParameterTypes().stream()
                        .noneMatch(type -> type.isEquivalentTo(Executor.class));
    }

    private static boolean createsAGenerator(JavaCodeUnitAccess<?> access) {
        if (access.getTargetOwner().isEquivalentTo(RandomGeneratorFactory.class)) {
            return true;
        }
        return access.getTargetOwner().isEquivalentTo(RandomGenerator.class)
                && access.getName().matches("getDefault|of");
    }
}
