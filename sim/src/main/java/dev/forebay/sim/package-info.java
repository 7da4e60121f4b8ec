// SPDX-License-Identifier: Apache-2.0
/**
 * The simulator: a fleet of services before one cluster, in virtual time. It knows the pool, the fleet and the model,
 * and runs the very classes that run in production. Begin at {@link dev.forebay.sim.Simulation}; what is simulated is
 * a {@link dev.forebay.sim.Scenario}.
 */
@NullMarked
package dev.forebay.sim;

import org.jspecify.annotations.NullMarked;
