// SPDX-License-Identifier: Apache-2.0
/** The costs of Temporal's stores. */
@NullMarked
package dev.forebay.bench.temporal;

import org.jspecify.annotations.NullMarked;
