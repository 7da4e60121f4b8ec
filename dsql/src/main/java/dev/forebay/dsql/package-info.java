// SPDX-License-Identifier: Apache-2.0
/** Aurora DSQL in the cloud: the front door, IAM tokens, and DynamoDB behind the fleet's store. */
@NullMarked
package dev.forebay.dsql;

import org.jspecify.annotations.NullMarked;
