// SPDX-License-Identifier: Apache-2.0
/** The demonstration: one load, once on Forebay and once on HikariCP, each before a cluster of its own. */
@NullMarked
package dev.forebay.console.demo;

import org.jspecify.annotations.NullMarked;
