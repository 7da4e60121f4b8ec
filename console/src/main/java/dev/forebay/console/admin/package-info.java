// SPDX-License-Identifier: Apache-2.0
/** The administration of a registry in SQL. */
@NullMarked
package dev.forebay.console.admin;

import org.jspecify.annotations.NullMarked;
