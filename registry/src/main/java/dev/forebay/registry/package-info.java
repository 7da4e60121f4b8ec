// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to many servers for many users: a pool for each user, a cap for each server, health. It knows the
 * pool's JDBC and the engine, and pools nothing itself: a user pool is a {@link dev.forebay.engine.Pool} with the
 * on-demand supply, or a reservoir by one option. Begin at {@link dev.forebay.registry.Registry}; what a server is,
 * is said by {@link dev.forebay.registry.ServerDefinition}.
 */
@NullMarked
package dev.forebay.registry;

import org.jspecify.annotations.NullMarked;
