// SPDX-License-Identifier: Apache-2.0
/** What pools and transactions tell the outside: events, numbers, and the metrics and log lines made of them. */
@NullMarked
package dev.forebay.micrometer;

import org.jspecify.annotations.NullMarked;
