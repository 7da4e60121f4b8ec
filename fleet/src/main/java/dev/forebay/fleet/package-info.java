// SPDX-License-Identifier: Apache-2.0
/** Limits on opening connections, for one service or for many that share a cluster. */
@NullMarked
package dev.forebay.fleet;

import org.jspecify.annotations.NullMarked;
