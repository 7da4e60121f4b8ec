// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.Admission;
import dev.forebay.time.VirtualTime;
import java.util.function.UnaryOperator;

/**
 * The world that all processes of a simulation share.
 *
 * @param scenario the scenario that is simulated
 * @param time the time
 * @param cluster the cluster
 * @param table the table behind the fleet's limits
 * @param judge the judge of its assertions
 * @param journal the record of what happened
 * @param tampering a test's change to the conditions on opening connections, to see that it is noticed
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
