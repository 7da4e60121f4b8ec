// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import dev.forebay.engine.PoolStats;
import java.util.Map;

/** A pool as JMX shows it: the numbers of {@link PoolStats} and the actions of an operator. Thread-safe. */
public interface PoolMXBean {

    /** Connections that are ready. */
    int getReady();

    /** Connections that are borrowed. */
    int getLeased();

    /** Connections that are ready or borrowed. */
    int getSize();

    /** Connections on their way in. */
    int getOpening();

    /** Connections on their way out. */
    int getClosing();

    /** Checkouts that wait. */
    int getWaiting();

    /** Connections the supply aims at. */
    int getTarget();

    /** The most connections that may be open. */
    int getMaxOpen();

    /** Successful checkouts. */
    long getCheckouts();

    /** Checkouts that found nothing ready. */
    long getEmpties();

    /** Checkouts that waited and were served. */
    long getWaits();

    /** The total of their waits, in seconds. */
    double getWaitDurationSeconds();

    /** The wait of the oldest waiter so far, in seconds. */
    double getMaxwaitSeconds();

    /** Checkouts whose deadline passed. */
    long getTimeouts();

    /** Connections opened. */
    long getRefills();

    /** Opens that failed, by reason. */
    Map<String, Long> getRefillFailures();

    /** Connections discarded, by reason. */
    Map<String, Long> getDiscards();

    /** Replaces every connection: ready ones at once, borrowed ones when they are returned. */
    void evictAll();

    /** Hands out nothing until {@link #resume}; callers wait. */
    void suspend();

    /** Hands out again. */
    void resume();
}
