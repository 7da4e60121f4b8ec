// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/** The row that was asked for is not there. Thread-safe. */
public final class NotFoundException extends TemporalException {

    private static final long serialVersionUID = 1;

    NotFoundException(String what) {
        super(what + " is not there");
    }
}
