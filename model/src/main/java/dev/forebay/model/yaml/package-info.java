// SPDX-License-Identifier: Apache-2.0
/** Files that people write in YAML: read within bounds, with the place of everything that is wrong. */
@NullMarked
package dev.forebay.model.yaml;

import org.jspecify.annotations.NullMarked;
