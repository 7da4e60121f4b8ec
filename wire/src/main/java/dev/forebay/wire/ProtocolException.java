// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

/** A message that breaks the protocol; its session ends with SQLSTATE 08P01. */
public final class ProtocolException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public ProtocolException(String message) {
        super(message);
    }
}
