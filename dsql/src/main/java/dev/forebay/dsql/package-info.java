// SPDX-License-Identifier: Apache-2.0
/**
 * Aurora DSQL in the cloud: IAM tokens, DynamoDB behind the fleet's store, and a data source with all of it. It knows
 * the pool, the fleet and the AWS SDK, and only the starter knows the last beside it. Begin at {@link
 * dev.forebay.dsql.AuroraDsql}.
 */
@NullMarked
package dev.forebay.dsql;

import org.jspecify.annotations.NullMarked;
