// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

/**
 * The numbers of the limits that this process shares with its fleet, at one moment. Immutable.
 *
 * @param leases of the limit on how many there are
 * @param permits of the limit on how many begin
 * @param store {@code up}, or what troubles the store
 */
public record FleetStats(LeaseStats leases, PermitStats permits, String store) {

    /** The {@link #store} that answers. */
    public static final String UP = "up";
}
