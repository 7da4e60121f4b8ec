// SPDX-License-Identifier: Apache-2.0
/**
 * The types between an application and its pool: the supplier of passwords, the policy of errors, the holders of
 * connections, and the reasons for getting none. It knows what errors mean, and no pool. Begin at {@link
 * dev.forebay.spi.PasswordSupplier}.
 */
@NullMarked
package dev.forebay.spi;

import org.jspecify.annotations.NullMarked;
