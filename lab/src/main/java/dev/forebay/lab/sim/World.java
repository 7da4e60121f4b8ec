// SPDX-License-Identifier: Apache-2.0
package dev.forebay.lab.sim;

import dev.forebay.time.VirtualTime;

/**
 * What all processes of a simulation share.
 *
 * @param scenario what is simulated
 * @param time the time
 * @param cluster the cluster
 * @param table the table behind the fleet's limits
 * @param judge who says whether it holds what has to
 * @param journal what happened
 */
record World(Scenario scenario, VirtualTime time, SimCluster cluster, SimTable table, Judge judge, Journal journal) {

    long seed() {
        return scenario.seed();
    }
}
