// SPDX-License-Identifier: Apache-2.0
/** Small tools around JDBC that the modules of Forebay share; internal: others must not use them. */
@NullMarked
package dev.forebay.tx.internal;

import org.jspecify.annotations.NullMarked;
