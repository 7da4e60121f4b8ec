// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes files; a failure names the file, which that of a full disk does not by itself. */
final class NamedFile {

    private NamedFile() {}

    static void write(Path file, String text) throws IOException {
        try {
            Files.writeString(file, text);
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) {
            throw new FileSystemException(file.toString(), null, e.getMessage());
        }
    }
}
