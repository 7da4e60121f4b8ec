// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Assumptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A real cluster and a real table, for whoever has them: named by the environment, or the tests say that they did not run. */
final class Cloud {

    private static final Logger log = LoggerFactory.getLogger(Cloud.class);

    static final String TABLE = "DSQL_DISTRIBUTED_CONN_LEASE_TABLE";
    private static final List<String> NEEDED = List.of("CLUSTER_ENDPOINT", "REGION", TABLE);

    private static final Set<Class<?>> SAID = ConcurrentHashMap.newKeySet();

    private Cloud() {}

    /** The environment, if it names all that is needed; otherwise the test is skipped, and that is said. */
    static Map<String, String> orSkip(Class<?> test) {
        List<String> missing = NEEDED.stream()
                .filter(name -> System.getenv().getOrDefault(name, "").isBlank())
                .toList();
        if (!missing.isEmpty()) {
            String message = test.getSimpleName() + " DID NOT RUN against Aurora DSQL and DynamoDB in the cloud: set "
                    + String.join(", ", missing) + " (docs/operating.md)";
            if (SAID.add(test)) {
                log.warn(message);
            }
            Assumptions.abort(message);
        }
        return System.getenv();
    }
}
