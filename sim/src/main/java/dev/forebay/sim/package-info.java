// SPDX-License-Identifier: Apache-2.0
/** The simulator: a fleet of services before one cluster, in virtual time, on the classes that run in production. */
@NullMarked
package dev.forebay.sim;

import org.jspecify.annotations.NullMarked;
