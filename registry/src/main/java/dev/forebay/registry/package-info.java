// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to many servers for many users: {@link dev.forebay.registry.Registry}, what it is told
 * ({@link dev.forebay.registry.ServerDefinition}, {@link dev.forebay.registry.UserMapping}) and what it tells.
 *
 * <p>A user pool is a {@link dev.forebay.engine.Pool} with the on-demand supply, or a reservoir by one option; nothing here
 * pools connections itself. All users of a server share one cap.
 */
@NullMarked
package dev.forebay.registry;

import org.jspecify.annotations.NullMarked;
