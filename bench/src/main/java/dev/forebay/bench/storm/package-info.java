// SPDX-License-Identifier: Apache-2.0
/** The behaviour of pools when lifetimes end and connections die, while new ones are scarce. */
@NullMarked
package dev.forebay.bench.storm;

import org.jspecify.annotations.NullMarked;
