// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.forebay.registry.Registry;
import dev.forebay.registry.RegistryException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The servers and user mappings of a registry, kept in a file. Thread-safe.
 *
 * <h2>What always holds</h2>
 *
 * <ul>
 *   <li>A change that returned is in the file, whatever happens to the process afterwards.
 *   <li>Between changes the registry has what the file has.
 *   <li>A change that failed changed neither.
 * </ul>
 *
 * <h2>Why the file comes first</h2>
 *
 * <p>Writing may fail for many reasons, most of all for want of room, and leaves no trace when it does. What the registry
 * has done cannot be taken back: connections are drained, those who wait are refused. So the registry is told only when
 * the file is on the disk. Should the registry refuse then, as it does with a host that is not allowed, it has done
 * nothing, and the file is moved back, which needs no room. A process that is killed in between has not answered, so that
 * the change may be there or not.
 *
 * <p>A change that moves a server takes the passwords away that were given for the old place; see {@link Guard}.
 *
 * <p>If not even moving back works, it is not known what the file says. From then on every change is refused.
 */
public final class Definitions implements AutoCloseable {

    /** SQL's state for an error of the system's input or output. */
    static final String IO_ERROR = "58030";

    private final DefinitionsFile file;
    private final @Nullable Path madeKey;
    private final Registry<?> registry;
    private final InstantSource clock;
    private final Guard guard;
    private final ReentrantLock lock = new ReentrantLock();

    /** Written under lock. */
    private volatile Map<String, KeptServer> servers;

    /** The reason that nothing can be changed any more. */
    @GuardedBy("lock")
    private @Nullable IOException broken;

    private Definitions(
            DefinitionsFile file,
            @Nullable Path madeKey,
            Registry<?> registry,
            InstantSource clock,
            Guard guard,
            Map<String, KeptServer> servers) {
        this.file = file;
        this.madeKey = madeKey;
        this.registry = registry;
        this.clock = clock;
        this.guard = guard;
        this.servers = Collections.unmodifiableMap(servers);
    }

    /**
     * The definitions in {@code directory}, registered in {@code registry}, which is empty. Its secrets are sealed with the
     * key that {@code environment} gives, or with the one in the directory, which is made at the first start.
     *
     * @throws IOException with the remedy, if the directory is in use, its file is damaged or the key is wrong
     */
    public static Definitions open(
            Path directory, Map<String, String> environment, Registry<?> registry, InstantSource clock)
            throws IOException {
        prepare(directory);
        Guard guard = new Guard(directory, environment);
        return open(directory, () -> Vault.open(directory, environment), registry, clock, Disk.REAL, guard);
    }

    static Definitions open(Path directory, Vault vault, Registry<?> registry, InstantSource clock, Disk disk)
            throws IOException {
        Guard guard = new Guard(directory, Map.of());
        return open(directory, () -> new Vault.Opened(vault, null), registry, clock, disk, guard);
    }

    private static Definitions open(
            Path directory, VaultSource source, Registry<?> registry, InstantSource clock, Disk disk, Guard guard)
            throws IOException {
        FileChannel lock = DefinitionsFile.lock(directory); // before a key is made: only one makes it
        boolean opened = false;
        try {
            Vault.Opened vault = source.open();
            DefinitionsFile file = DefinitionsFile.at(directory, vault.vault(), disk, lock);
            Map<String, KeptServer> servers = file.read();
            for (KeptServer server : servers.values()) {
                registry.register(server.definition());
                for (KeptMapping mapping : server.mappings().values()) {
                    registry.map(server.name(), mapping.mapping());
                }
            }
            opened = true;
            return new Definitions(file, vault.made(), registry, clock, guard, servers);
        } catch (RegistryException e) {
            throw new StateException(directory.resolve(DefinitionsFile.NAME) + ": " + e.getMessage(), e);
        } finally {
            if (!opened) {
                lock.close();
            }
        }
    }

    private interface VaultSource {
        Vault.Opened open() throws IOException;
    }

    /** The file with the key, if it was made just now. */
    public Optional<Path> madeKey() {
        return Optional.ofNullable(madeKey);
    }

    /** Forbids to read {@code file} as a password: it holds secrets of the console's own. */
    public void protect(Path file) {
        guard.protect(file);
    }

    /** Makes a directory for them, which only its owner may look into, unless it is there. */
    private static void prepare(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            if (!Files.isWritable(directory)) {
                throw new StateException(directory + " may not be written", null);
            }
            checkRights(directory);
            return;
        }
        if (Files.exists(directory)) {
            throw new StateException(directory + " is not a directory", null);
        }
        if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } else {
            Files.createDirectories(directory);
        }
    }

    /** Refuses a directory that others may write: they could replace our files. */
    private static void checkRights(Path directory) throws IOException {
        if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Set<PosixFilePermission> rights = Files.getPosixFilePermissions(directory);
            if (rights.contains(PosixFilePermission.OTHERS_WRITE) || rights.contains(PosixFilePermission.GROUP_WRITE)) {
                throw new StateException(directory + " may be written by others: chmod 700 it", null);
            }
        }
    }

    /** The servers that are kept, by name. */
    public Map<String, KeptServer> servers() {
        return servers;
    }

    /** A change to the servers, and its meaning for the registry: one call that is done or refused. */
    public record Change(Map<String, KeptServer> servers, Effect effect) {

        /** {@code server} in the place of the one of its name, if there is one. */
        public static Change put(Map<String, KeptServer> before, KeptServer server, Effect effect) {
            Map<String, KeptServer> after = new TreeMap<>(before);
            after.put(server.name(), server);
            return new Change(after, effect);
        }

        /** All but the server of that name. */
        public static Change remove(Map<String, KeptServer> before, String name, Effect effect) {
            Map<String, KeptServer> after = new TreeMap<>(before);
            after.remove(name);
            return new Change(after, effect);
        }
    }

    /** A call on a registry. */
    @FunctionalInterface
    public interface Effect {
        void on(Registry<?> registry) throws SQLException;
    }

    /** Decides on a change. */
    @FunctionalInterface
    public interface Step {

        /** The change, or null for none. */
        @Nullable
        Change from(Map<String, KeptServer> servers, Instant now) throws SQLException;
    }

    /**
     * Makes a change; the next one waits for it.
     *
     * @return whether there was anything to change
     * @throws SQLException that of {@code step} or the registry, or 58030 if it could not be written
     */
    public boolean change(Step step) throws SQLException {
        lock.lock();
        try {
            Change change = step.from(servers, clock.instant().truncatedTo(ChronoUnit.MILLIS));
            if (change == null) {
                return false;
            }
            if (broken != null) {
                throw new SQLException(
                        "nothing can be changed until the console is started anew: " + broken.getMessage(),
                        IO_ERROR,
                        broken);
            }
            guard.check(servers, change.servers());
            Map<String, List<KeptMapping>> exposed = Guard.exposed(servers, change.servers());
            Map<String, KeptServer> next = new TreeMap<>(change.servers());
            exposed.forEach((name, mappings) -> mappings.forEach(
                    mapping -> next.computeIfPresent(name, (n, server) -> server.with(mapping.withoutPassword()))));
            write(next);
            tell(change.effect(), exposed);
            servers = Collections.unmodifiableMap(next);
            return true;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void write(Map<String, KeptServer> next) throws SQLException {
        try {
            file.replace(next);
        } catch (DefinitionsFile.OutOfStep e) {
            broken = e;
            throw new SQLException(e.getMessage(), IO_ERROR, e);
        } catch (IOException e) {
            throw new SQLException(
                    "the definitions could not be written, so nothing was changed: " + e.getMessage(), IO_ERROR, e);
        }
    }

    /** Removes the exposed passwords, then applies the effect: the registry connects as soon as it knows a server. */
    @GuardedBy("lock")
    private void tell(Effect effect, Map<String, List<KeptMapping>> exposed) throws SQLException {
        try {
            for (Map.Entry<String, List<KeptMapping>> server : exposed.entrySet()) {
                for (KeptMapping mapping : server.getValue()) {
                    registry.map(server.getKey(), mapping.withoutPassword().mapping());
                }
            }
            effect.on(registry);
        } catch (SQLException | RuntimeException e) {
            giveBack(exposed, e);
            try {
                file.undo(e);
            } catch (DefinitionsFile.OutOfStep worse) {
                broken = worse;
                throw new SQLException(worse.getMessage(), IO_ERROR, worse);
            }
            throw e;
        }
    }

    private void giveBack(Map<String, List<KeptMapping>> exposed, Exception why) {
        exposed.forEach((server, mappings) -> mappings.forEach(mapping -> {
            try {
                registry.map(server, mapping.mapping());
            } catch (RegistryException e) {
                why.addSuppressed(e);
            }
        }));
    }

    /** Lets another process use the directory. The registry is left as it is. */
    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            file.close();
        } finally {
            lock.unlock();
        }
    }
}
