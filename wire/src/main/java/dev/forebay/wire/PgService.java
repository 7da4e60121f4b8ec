// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

/** The service behind a {@link PgServer}. Thread-safe: clients are on several event loops. */
@FunctionalInterface
public interface PgService {

    /** Opens a session for a client that has sent its start-up packet; the session lets it in. */
    PgSession open(Conversation client);
}
