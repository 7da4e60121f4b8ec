// SPDX-License-Identifier: Apache-2.0
/**
 * A registry of JDBC connections: drivers, URLs, resets of each type, and a data source for each server. It knows the
 * registry and the pool's JDBC; nothing of the registry knows it. Begin at {@link
 * dev.forebay.registry.jdbc.JdbcRegistry}, and for the differences between types at {@code Dialect}.
 */
@NullMarked
package dev.forebay.registry.jdbc;

import org.jspecify.annotations.NullMarked;
