// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.sql;

/**
 * A question for PostgreSQL's catalog on which a refusal depends. Immutable.
 *
 * @param sql a query without parameters that gives one boolean
 * @param ifTrue the refusal if that is true
 */
public record Check(String sql, SqlRefusal ifTrue) {}
