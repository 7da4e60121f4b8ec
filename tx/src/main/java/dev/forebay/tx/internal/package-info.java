// SPDX-License-Identifier: Apache-2.0
/** Small things around JDBC that the rooms of Forebay share and that are no promise: others must not use them. */
@NullMarked
package dev.forebay.tx.internal;

import org.jspecify.annotations.NullMarked;
