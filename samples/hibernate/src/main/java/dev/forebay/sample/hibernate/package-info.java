// SPDX-License-Identifier: Apache-2.0
/** A shop with Hibernate on Aurora DSQL. */
@NullMarked
package dev.forebay.sample.hibernate;

import org.jspecify.annotations.NullMarked;
