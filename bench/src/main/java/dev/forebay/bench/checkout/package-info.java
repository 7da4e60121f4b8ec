// SPDX-License-Identifier: Apache-2.0
/** What a checkout costs: time and bytes. */
@NullMarked
package dev.forebay.bench.checkout;

import org.jspecify.annotations.NullMarked;
