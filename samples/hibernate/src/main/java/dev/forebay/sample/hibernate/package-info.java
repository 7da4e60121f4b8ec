// SPDX-License-Identifier: Apache-2.0
/**
 * A shop with Hibernate on Aurora DSQL. It knows Forebay through the starter and {@code forebay-dsql}, as any
 * application would. Begin at {@link dev.forebay.sample.hibernate.Shop}, whose transactions are retried.
 */
@NullMarked
package dev.forebay.sample.hibernate;

import org.jspecify.annotations.NullMarked;
