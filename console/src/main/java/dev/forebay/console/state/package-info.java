// SPDX-License-Identifier: Apache-2.0
/** The console's state from one start to the next: definitions of servers and user mappings, secrets encrypted. */
@NullMarked
package dev.forebay.console.state;

import org.jspecify.annotations.NullMarked;
