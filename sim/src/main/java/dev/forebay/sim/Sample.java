// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

/**
 * The numbers of one process at one moment; the counters run from the start of the simulation, over all its restarts.
 * Immutable.
 *
 * @param atNanos the time, from the start
 * @param service the process
 * @param size connections that it has
 * @param target connections that it is to have
 * @param inUse connections in use
 * @param checkouts successful checkouts
 * @param emptyEvents checkouts that found nothing ready
 * @param discards connections let go
 * @param discardExpired of these, past their lifetime
 * @param discardGuard of these, inside the guard window
 * @param discardFull of these, above the maximum
 * @param refills connections opened
 * @param refillFailures opens that failed
 * @param scanEvictions connections let go while unused, since their time was up or their replacement there
 * @param limiterDenies opens that had to wait for the rate limit
 * @param workStarted pieces of work begun
 * @param workCompleted pieces of work done
 */
public record Sample(
        long atNanos,
        String service,
        int size,
        int target,
        int inUse,
        long checkouts,
        long emptyEvents,
        long discards,
        long discardExpired,
        long discardGuard,
        long discardFull,
        long refills,
        long refillFailures,
        long scanEvictions,
        long limiterDenies,
        long workStarted,
        long workCompleted) {}
