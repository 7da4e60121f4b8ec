// SPDX-License-Identifier: Apache-2.0
/** The commands. */
@NullMarked
package dev.forebay.console;

import org.jspecify.annotations.NullMarked;
