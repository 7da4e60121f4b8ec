// SPDX-License-Identifier: Apache-2.0
/** What Temporal's stores cost. */
@NullMarked
package dev.forebay.bench.temporal;

import org.jspecify.annotations.NullMarked;
