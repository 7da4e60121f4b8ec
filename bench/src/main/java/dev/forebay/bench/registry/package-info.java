// SPDX-License-Identifier: Apache-2.0
/** What it costs to acquire through the registry, and whether many user pools cost more than one. */
@NullMarked
package dev.forebay.bench.registry;

import org.jspecify.annotations.NullMarked;
