// SPDX-License-Identifier: Apache-2.0
/** What a pool tells the outside: events, numbers, and the metrics made of them. */
@NullMarked
package dev.forebay.event;

import org.jspecify.annotations.NullMarked;
