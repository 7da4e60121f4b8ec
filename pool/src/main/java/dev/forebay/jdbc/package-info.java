// SPDX-License-Identifier: Apache-2.0
/**
 * JDBC on the engine: opening connections, the handles a borrower gets, and the judging of their errors.
 *
 * <p>The classes named {@code Forwarding…} hold the methods that only forward, one to a line; what thinks is in the
 * classes named {@code …Handle}.
 */
@NullMarked
package dev.forebay.jdbc;

import org.jspecify.annotations.NullMarked;
