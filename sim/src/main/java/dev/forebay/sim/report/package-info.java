// SPDX-License-Identifier: Apache-2.0
/** The output of a simulation: samples as CSV, a summary for a terminal, a page with plots, a picture. The same run gives the same bytes. */
@NullMarked
package dev.forebay.sim.report;

import org.jspecify.annotations.NullMarked;
