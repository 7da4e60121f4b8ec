// SPDX-License-Identifier: Apache-2.0
/** The engine: a pool of anything that is scarce to open, knowing nothing of JDBC, clocks or threads. */
@NullMarked
package dev.forebay.engine;

import org.jspecify.annotations.NullMarked;
