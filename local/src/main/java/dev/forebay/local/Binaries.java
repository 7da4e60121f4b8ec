// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/** The binaries of PostgreSQL, unpacked once from the class path into a cache. */
final class Binaries {

    private Binaries() {}

    /** The directory with {@code bin}, {@code lib} and {@code share}, below {@code cache}. */
    static Path unpacked(Path cache) throws IOException {
        String archive = "postgres-" + platform() + ".txz";
        try (InputStream packed = Binaries.class.getResourceAsStream("/" + archive)) {
            if (packed == null) {
                throw new IOException("no PostgreSQL for this platform on the class path: " + archive);
            }
            byte[] bytes = packed.readAllBytes();
            Path directory =
                    cache.resolve("postgres-" + platform() + "-" + Integer.toHexString(Arrays.hashCode(bytes)));
            if (!Files.isDirectory(directory)) {
                Files.createDirectories(cache);
                Path aside = Files.createTempDirectory(cache, "unpacking");
                try {
                    unpack(bytes, directory, aside);
                } catch (IOException e) {
                    Directories.delete(aside);
                    throw new IOException("PostgreSQL could not be unpacked below " + cache + ": " + e.getMessage(), e);
                }
            }
            return directory;
        }
    }

    /** Unpacks aside and moves the whole into its place, so that two that start at once do no harm. */
    private static void unpack(byte[] packed, Path directory, Path aside) throws IOException {
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZCompressorInputStream(new ByteArrayInputStream(packed)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path target = aside.resolve(entry.getName()).normalize();
                if (!target.startsWith(aside)) {
                    throw new IOException("an entry that leads outside: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                } else if (entry.isSymbolicLink()) {
                    Files.createDirectories(target.getParent());
                    Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
                } else {
                    Files.createDirectories(target.getParent());
                    Files.copy(tar, target);
                    Files.setPosixFilePermissions(
                            target,
                            PosixFilePermissions.fromString((entry.getMode() & 0100) != 0 ? "rwxr-xr-x" : "rw-r--r--"));
                }
            }
        }
        Files.setPosixFilePermissions(aside, PosixFilePermissions.fromString("rwxr-xr-x"));
        try {
            Files.move(aside, directory, StandardCopyOption.ATOMIC_MOVE);
        } catch (DirectoryNotEmptyException | FileAlreadyExistsException | AtomicMoveNotSupportedException e) {
            Directories.delete(aside); // another was first
            if (!Files.isDirectory(directory)) {
                throw e;
            }
        }
    }

    private static String platform() {
        String system =
                System.getProperty("os.name", "").toLowerCase(Locale.ROOT).replace("mac os x", "darwin");
        String machine = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        return system + "-" + (machine.equals("amd64") ? "x86_64" : machine.equals("aarch64") ? "arm_64" : machine);
    }
}
