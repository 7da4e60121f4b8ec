// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import java.nio.file.FileSystemException;

/** The reason of a failure, in a line for a person. */
final class Reason {

    private Reason() {}

    static String of(Throwable failure) {
        String message = failure.getMessage();
        if (failure instanceof FileSystemException file) {
            String reason = file.getReason();
            return file.getFile() + ": " + (reason == null ? failure.getClass().getSimpleName() : reason);
        }
        return message == null || message.isBlank() ? failure.toString() : message;
    }
}
