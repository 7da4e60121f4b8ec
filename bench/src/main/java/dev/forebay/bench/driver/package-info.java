// SPDX-License-Identifier: Apache-2.0
/** A JDBC driver without a database. */
@NullMarked
package dev.forebay.bench.driver;

import org.jspecify.annotations.NullMarked;
