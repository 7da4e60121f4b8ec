// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import java.util.function.Consumer;

/** Receives answers only, for callers that ask again anyway; the store's guard reports failures. */
record Quietly<R>(Consumer<R> then) implements FleetStore.Reply<R> {

    @Override
    public void answered(R result) {
        then.accept(result);
    }

    @Override
    public void failed(StoreException why) {}
}
