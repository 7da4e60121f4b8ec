// SPDX-License-Identifier: Apache-2.0
/** The cost of a checkout: time and bytes. */
@NullMarked
package dev.forebay.bench.checkout;

import org.jspecify.annotations.NullMarked;
