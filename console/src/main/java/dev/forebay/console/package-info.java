// SPDX-License-Identifier: Apache-2.0
/**
 * The commands, in one runnable jar. They know every library but the starter, and no library knows them. Begin at {@link
 * dev.forebay.console.Forebay}, which lists them; each is a class named after it.
 */
@NullMarked
package dev.forebay.console;

import org.jspecify.annotations.NullMarked;
