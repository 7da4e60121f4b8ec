// SPDX-License-Identifier: Apache-2.0
/**
 * The JDBC connection pool that an application configures and opens. It knows the engine and transactions, and
 * neither a registry nor a metrics library nor a cloud. Begin at {@link dev.forebay.ForebayDataSource}; every setting
 * is declared in {@code Knobs}.
 */
@NullMarked
package dev.forebay;

import org.jspecify.annotations.NullMarked;
