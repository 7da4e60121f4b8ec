// SPDX-License-Identifier: Apache-2.0
/** What the limits that a fleet shares cost in requests and in time. */
@NullMarked
package dev.forebay.bench.leases;

import org.jspecify.annotations.NullMarked;
