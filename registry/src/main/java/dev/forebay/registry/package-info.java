// SPDX-License-Identifier: Apache-2.0
/**
 * Connections of any kind to many servers for many users: a pool for each user, a cap for each server, health. It knows
 * the engine and no JDBC pool, and pools nothing itself: a user pool is a {@link dev.forebay.engine.Pool} with the on-demand
 * supply, or a reservoir by one option. Begin at {@link dev.forebay.registry.Registry};
 * {@link dev.forebay.registry.ServerDefinition} is a server, {@link dev.forebay.registry.Wiring} the way to connect to it.
 */
@NullMarked
package dev.forebay.registry;

import org.jspecify.annotations.NullMarked;
