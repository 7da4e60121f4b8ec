// SPDX-License-Identifier: Apache-2.0
/** What happens when lifetimes end and when connections die, while new ones are scarce. */
@NullMarked
package dev.forebay.bench.storm;

import org.jspecify.annotations.NullMarked;
