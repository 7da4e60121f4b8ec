// SPDX-License-Identifier: Apache-2.0
/** The waits of threads when there are fewer connections than threads. */
@NullMarked
package dev.forebay.bench.waiting;

import org.jspecify.annotations.NullMarked;
