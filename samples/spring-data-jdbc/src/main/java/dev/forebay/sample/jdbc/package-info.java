// SPDX-License-Identifier: Apache-2.0
/** Accounts with Spring Data JDBC on Aurora DSQL. */
@NullMarked
package dev.forebay.sample.jdbc;

import org.jspecify.annotations.NullMarked;
