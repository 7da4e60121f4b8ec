// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

/** The service behind a {@link PgServer}. Thread-safe: clients are on several event loops. */
public interface PgService {

    /** A client that has sent its start-up packet; the session lets it in. */
    PgSession open(Conversation client);

    /**
     * A request, from a connection of its own, to cancel what a session is doing; wrong keys are ignored.
     *
     * @param decided to be run, on any thread, once it is known what is cancelled: only then is that connection closed, from which its
     *     client knows that what it asks for next is spared
     */
    default void cancel(int processId, int secretKey, Runnable decided) {
        decided.run();
    }
}
