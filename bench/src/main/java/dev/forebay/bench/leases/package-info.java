// SPDX-License-Identifier: Apache-2.0
/** The cost of a fleet's shared limits in requests and in time. */
@NullMarked
package dev.forebay.bench.leases;

import org.jspecify.annotations.NullMarked;
