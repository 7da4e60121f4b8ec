// SPDX-License-Identifier: Apache-2.0
/** A local DSQL in the tests of others: an extension for JUnit. */
@NullMarked
package dev.forebay.local.junit;

import org.jspecify.annotations.NullMarked;
