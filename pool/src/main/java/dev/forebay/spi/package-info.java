// SPDX-License-Identifier: Apache-2.0
/**
 * What an application gives to a pool and hears from it: where passwords come from, which errors cost a connection, and
 * why there was none. It knows what errors mean, and no pool. Begin at {@link dev.forebay.spi.PasswordSupplier}.
 */
@NullMarked
package dev.forebay.spi;

import org.jspecify.annotations.NullMarked;
