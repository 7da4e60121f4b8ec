// SPDX-License-Identifier: Apache-2.0
/** Small classes that the modules of Forebay share. They are no promise: others must not use them. */
@NullMarked
package dev.forebay.engine.internal;

import org.jspecify.annotations.NullMarked;
