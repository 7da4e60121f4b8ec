// SPDX-License-Identifier: Apache-2.0
/**
 * Forebay in a Spring Boot application: data source, metrics, health, endpoint, and transactions that are run again.
 * It knows Spring Boot and the pool, and Aurora DSQL where that is on the class path. Begin at {@link
 * dev.forebay.spring.ForebayDataSourceAutoConfiguration}.
 */
@NullMarked
package dev.forebay.spring;

import org.jspecify.annotations.NullMarked;
