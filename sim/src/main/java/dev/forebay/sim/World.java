// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.Admission;
import dev.forebay.time.VirtualTime;
import java.util.function.UnaryOperator;

/**
 * The world that all processes of a simulation share.
 *
 * @param scenario what is simulated
 * @param time the time
 * @param cluster the cluster
 * @param table the table behind the fleet's limits
 * @param judge who says whether it holds what has to
 * @param journal what happened
 * @param tampering what a test makes of the conditions on opening connections, to see that it is noticed
 */
record World(
        Scenario scenario,
        VirtualTime time,
        SimCluster cluster,
        SimTable table,
        Judge judge,
        Journal journal,
        UnaryOperator<Admission> tampering) {

    long seed() {
        return scenario.seed();
    }
}
