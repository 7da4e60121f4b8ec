// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

/** A kind of event, with its meaning and the remedy. */
public enum Event {
    STEP(Gravity.NOTE, "The script", "This belongs to the demonstration: it happens to every pool alike."),
    ACTION(Gravity.NOTE, "Done by hand", "Somebody did this on the page."),
    FOUND_EMPTY(
            Gravity.WARNING,
            "Nothing was ready",
            "A checkout found no connection ready and waited. If this goes on, the pool is too small for its load, or connects are limited too tightly to refill it."),
    TIMED_OUT(
            Gravity.TROUBLE,
            "A checkout waited in vain",
            "No connection came within the time a checkout may wait. Look at who holds connections longest, then at failed opens."),
    REFUSED(
            Gravity.TROUBLE,
            "A checkout was refused",
            "No connection could be opened for it, all are in use and the pool is told not to wait, or too many wait already."),
    OPEN_FAILED(
            Gravity.WARNING,
            "A connection could not be opened",
            "It is tried again, later each time. Connections that are open are not touched."),
    OPEN_DENIED(
            Gravity.TROUBLE,
            "A connection will not be opened",
            "What the server says will not get better by itself: a rejected user, TLS, an unknown database or a missing driver. It is tried again when somebody asks, at most once in a while."),
    NOT_MAPPED(
            Gravity.TROUBLE,
            "A user is not mapped",
            "Nobody has said as whom this user connects. CREATE USER MAPPING for the user, or for PUBLIC."),
    REFUSED_UNHEALTHY(
            Gravity.TROUBLE,
            "A checkout was refused, since its server is unhealthy",
            "Probes go on, and connections are handed out again when enough of them succeed. The servers' view says why."),
    BROKEN(
            Gravity.WARNING,
            "Connections were found broken",
            "The server or the network ended them. They are replaced as fast as the limits allow; those at hand are checked at once."),
    ENDED_LATE(
            Gravity.WARNING,
            "Connections grew too old",
            "They were closed before their replacement was there. If this goes on, connects are limited too tightly for the lifetime: see docs/capacity.md."),
    EVICTED(Gravity.NOTE, "Connections were evicted", "Somebody asked for it. They are replaced under the limits."),
    HELD_TOO_LONG(
            Gravity.WARNING,
            "A connection is held for long",
            "Its borrower has had it longer than leak detection thinks right. It may have forgotten to close it."),
    SWEEP(
            Gravity.NOTE,
            "All connections are checked",
            "One was found broken, so the others are looked at before anybody gets one."),
    STORE_LOST(
            Gravity.TROUBLE,
            "The store of the shared limits does not answer",
            "Until it does, this service keeps to its own share, or opens nothing, as the setting for an outage says."),
    STORE_FOUND(Gravity.NOTE, "The store of the shared limits answers again", "The limits are shared as before."),
    LIMIT_REACHED(
            Gravity.WARNING,
            "All leases are taken",
            "The fleet has as many connections as it may. Others give some back as their connections expire."),
    LEASE_LOST(
            Gravity.TROUBLE,
            "This service was taken for dead",
            "It did not renew its lease in time, so its slots were given away. It acquires them anew."),
    REAPED(Gravity.NOTE, "A dead service's leases were freed", "It had not renewed them for a time-to-live."),
    DRAINING(
            Gravity.TROUBLE,
            "Connections are let go",
            "The lease cannot be renewed, and the setting for an outage is to stay below the limit whatever happens."),
    GIVEN_UP(
            Gravity.TROUBLE,
            "A transaction was given up",
            "It met a conflict in every attempt it was allowed. Spread the rows it writes, or allow more attempts."),
    UNKNOWN_OUTCOME(
            Gravity.TROUBLE,
            "Nobody knows whether a transaction was committed",
            "The connection was lost during COMMIT. It is never repeated silently: the application must look."),
    UNHEALTHY(
            Gravity.TROUBLE,
            "A server is unhealthy",
            "Probes failed, or somebody said so. Acquires are refused at once instead of waiting."),
    HEALTHY(Gravity.NOTE, "A server is healthy", "Connections are handed out.");

    private final Gravity gravity;
    private final String title;
    private final String meaning;

    Event(Gravity gravity, String title, String meaning) {
        this.gravity = gravity;
        this.title = title;
        this.meaning = meaning;
    }

    /** Its severity. */
    enum Gravity {
        NOTE,
        WARNING,
        TROUBLE
    }

    Gravity gravity() {
        return gravity;
    }

    String title() {
        return title;
    }

    /** Its meaning, and the remedy, in a sentence or two. */
    String meaning() {
        return meaning;
    }
}
