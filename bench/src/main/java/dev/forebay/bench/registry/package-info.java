// SPDX-License-Identifier: Apache-2.0
/** The cost of an acquire through the registry, for one user pool and for many. */
@NullMarked
package dev.forebay.bench.registry;

import org.jspecify.annotations.NullMarked;
