// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.fleet.FleetStore;
import dev.forebay.fleet.MemoryStore;

/** What simulations run on keeps what DynamoDB keeps. */
class MemoryStoreContractTest extends StoreContract {
    @Override
    protected FleetStore store() {
        return new MemoryStore();
    }
}
