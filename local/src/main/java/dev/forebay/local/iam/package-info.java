// SPDX-License-Identifier: Apache-2.0
/** IAM tokens, made and checked without a cloud: a presigned request is verified against known keys. */
@NullMarked
package dev.forebay.local.iam;

import org.jspecify.annotations.NullMarked;
