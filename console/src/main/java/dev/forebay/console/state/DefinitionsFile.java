// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.state;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The file of definitions and the one before it, in a directory that no other process uses meanwhile. Not thread-safe.
 *
 * <p>A version is written aside and moved to its place, so that the file is whole at any moment. The version before it is
 * put aside first; going back is a move too and needs no room on the disk.
 */
final class DefinitionsFile implements AutoCloseable {

    static final String NAME = "definitions.yaml";

    private final Path directory;
    private final Path file;
    private final Path before;
    private final Vault vault;
    private final Disk disk;
    private final FileChannel lock;

    /** The content of the file; null if there is none. */
    private byte @Nullable [] bytes;

    /** The content of the file before the last replacement. */
    private byte @Nullable [] previous;

    private DefinitionsFile(Path directory, Vault vault, Disk disk, FileChannel lock) {
        this.directory = directory;
        this.file = directory.resolve(NAME);
        this.before = directory.resolve(NAME + ".1");
        this.vault = vault;
        this.disk = disk;
        this.lock = lock;
    }

    /** The file in {@code directory}, which {@link #lock} has locked. */
    static DefinitionsFile at(Path directory, Vault vault, Disk disk, FileChannel lock) {
        return new DefinitionsFile(directory, vault, disk, lock);
    }

    /** Locks the directory, which exists, until the channel is closed. */
    static FileChannel lock(Path directory) throws IOException {
        FileChannel channel = FileChannel.open(
                directory.resolve("lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.READ);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            channel.close();
            throw inUse(directory, e);
        }
        channel.close();
        throw inUse(directory, null);
    }

    private static StateException inUse(Path directory, @Nullable Exception cause) {
        return new StateException(
                directory + " is in use by another console: stop it, or use another directory", cause);
    }

    /** The definitions in the file; nothing at the first start. */
    Map<String, KeptServer> read() throws IOException {
        if (!Files.exists(file)) {
            if (Files.exists(before)) {
                throw new StateException(
                        file + " is missing, but " + before + " is there: move it to its place, or away", null);
            }
            return new TreeMap<>();
        }
        bytes = Files.readAllBytes(file);
        DefinitionsText.Read read = DefinitionsText.read(file, bytes, vault);
        if (read.sealAnew()) {
            replace(read.servers());
        }
        return read.servers();
    }

    /**
     * Puts a new version in the place of the file. If that fails the file is as it was.
     *
     * @throws OutOfStep if it is not known to be
     */
    void replace(Map<String, KeptServer> servers) throws IOException {
        byte[] next = DefinitionsText.write(servers, vault);
        Path aside = directory.resolve(NAME + ".tmp");
        try {
            disk.write(aside, next);
            if (bytes != null) {
                Path old = directory.resolve(NAME + ".1.tmp");
                disk.write(old, bytes);
                disk.move(old, before);
            }
        } catch (IOException e) {
            discard(aside, e);
            throw e;
        }
        try {
            disk.move(aside, file);
            disk.sync(directory);
        } catch (IOException e) {
            restore(e);
            discard(aside, e);
            throw e;
        }
        previous = bytes;
        bytes = next;
    }

    /** Undoes the last replacement, because of {@code why}. */
    void undo(Exception why) throws OutOfStep {
        bytes = previous;
        restore(why);
    }

    private void restore(Exception why) throws OutOfStep {
        try {
            if (bytes == null) {
                disk.delete(file);
            } else {
                disk.move(before, file);
            }
            disk.sync(directory);
        } catch (IOException e) {
            e.addSuppressed(why);
            throw new OutOfStep(file, e);
        }
    }

    private void discard(Path aside, IOException why) {
        try {
            disk.delete(aside);
        } catch (IOException e) {
            why.addSuppressed(e); // it is overwritten the next time
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }

    /** Thrown if the content of the file is unknown: neither the change nor going back worked. */
    static final class OutOfStep extends IOException {
        private static final long serialVersionUID = 1;

        OutOfStep(Path file, IOException cause) {
            super(file + " could be neither changed nor left as it was: " + cause.getMessage(), cause);
        }
    }
}
