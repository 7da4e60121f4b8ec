// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.fleet.FleetStore;
import dev.forebay.fleet.FleetStore.Written;
import dev.forebay.fleet.Item;
import dev.forebay.fleet.StoreException;
import dev.forebay.fleet.Write;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The contract on a real table, under keys of its own that are deleted afterwards. */
@Tag("cloud")
class CloudStoreIT extends StoreContract {

    private final ExecutorService executor = Executors.newFixedThreadPool(4);
    private DynamoDbClient client;
    private Prefixed store;

    @BeforeEach
    void needsTheCloud() {
        Map<String, String> environment = Cloud.orSkip(CloudStoreIT.class);
        client = DynamoStore.client(
                Region.of(environment.get("REGION")),
                DefaultCredentialsProvider.builder().build(),
                null);
        store = new Prefixed(new DynamoStore(client, environment.get(Cloud.TABLE), executor));
    }

    @AfterEach
    void leaveNothingBehind() throws Exception {
        if (store != null) {
            for (String key : store.written) {
                write(store, Write.deleting(key));
            }
            client.close();
        }
        executor.shutdownNow();
    }

    @Override
    protected FleetStore store() {
        return store;
    }

    /** Keeps the keys of a test apart from those of others. */
    private static final class Prefixed implements FleetStore {
        private final FleetStore table;
        private final String prefix = "forebay-it#" + UUID.randomUUID() + "#";
        private final Set<String> written = ConcurrentHashMap.newKeySet();

        Prefixed(FleetStore table) {
            this.table = table;
        }

        @Override
        public void read(Collection<String> keys, Reply<Map<String, Item>> reply) {
            table.read(keys.stream().map(key -> prefix + key).toList(), new Reply<>() {
                @Override
                public void answered(Map<String, Item> result) {
                    reply.answered(stripped(result));
                }

                @Override
                public void failed(StoreException why) {
                    reply.failed(why);
                }
            });
        }

        @Override
        public void write(List<Write> writes, Reply<Written> reply) {
            List<Write> prefixed = new ArrayList<>();
            for (Write write : writes) {
                written.add(write.key());
                prefixed.add(new Write(prefix + write.key(), write.delete(), write.conditions(), write.changes()));
            }
            table.write(prefixed, new Reply<>() {
                @Override
                public void answered(Written result) {
                    reply.answered(new Written(result.result(), stripped(result.found())));
                }

                @Override
                public void failed(StoreException why) {
                    reply.failed(why);
                }
            });
        }

        private Map<String, Item> stripped(Map<String, Item> items) {
            Map<String, Item> stripped = new HashMap<>();
            items.forEach((key, item) -> stripped.put(key.substring(prefix.length()), item));
            return stripped;
        }
    }
}
