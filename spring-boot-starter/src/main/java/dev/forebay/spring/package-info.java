// SPDX-License-Identifier: Apache-2.0
/** Forebay in a Spring Boot application. */
@NullMarked
package dev.forebay.spring;

import org.jspecify.annotations.NullMarked;
