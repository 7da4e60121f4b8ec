// SPDX-License-Identifier: Apache-2.0
/** The console's page: what is watched, its last minutes, what happened, and the port that shows it. */
@org.jspecify.annotations.NullMarked
package dev.forebay.console.web;
