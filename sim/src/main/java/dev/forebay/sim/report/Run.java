// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import dev.forebay.sim.Result;

/**
 * A simulation that has ended, as reports call it. Immutable.
 *
 * @param label its name beside another
 * @param result its result
 * @param command the command that runs it again
 */
public record Run(String label, Result result, String command) {}
