// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.state;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The steps by which a file is replaced; a test makes each of them fail. Stateless. */
interface Disk {

    /** The real disk. */
    Disk REAL = new Disk() {};

    /** Makes a file that only its owner may read, with these bytes, and returns when they are on the disk. */
    default void write(Path file, byte[] bytes) throws IOException {
        Files.deleteIfExists(file); // left by a process that was killed
        boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] rights = posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
        try (FileChannel channel =
                FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), rights)) {
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
            channel.force(true);
        }
    }

    /** Puts {@code from} in the place of {@code to}, in one step. */
    default void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Returns when the changes in {@code directory} are on the disk. */
    default void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Removes {@code file} if it is there. */
    default void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
    }
}
