// SPDX-License-Identifier: Apache-2.0
/** The front door: what an application configures and opens. */
@NullMarked
package dev.forebay;

import org.jspecify.annotations.NullMarked;
