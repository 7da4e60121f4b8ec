// SPDX-License-Identifier: Apache-2.0
/** The console's page: its sources, their last minutes, the events, and the port that shows it. */
@org.jspecify.annotations.NullMarked
package dev.forebay.console.web;
