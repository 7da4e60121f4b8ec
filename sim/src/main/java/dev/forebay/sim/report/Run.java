// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import dev.forebay.sim.Result;

/**
 * A simulation that has ended, as reports call it. Immutable.
 *
 * @param label what it is called beside another
 * @param result what came of it
 * @param command what runs it again
 */
public record Run(String label, Result result, String command) {}
