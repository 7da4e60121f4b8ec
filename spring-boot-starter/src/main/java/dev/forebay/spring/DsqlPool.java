// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.dsql.AuroraDsql;
import dev.forebay.engine.Observer;
import dev.forebay.engine.PoolListener;
import dev.forebay.tx.TxListener;
import java.sql.SQLException;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/** A pool for Aurora DSQL. The only class here that needs the module {@code dsql}: it is not touched without it. */
final class DsqlPool {

    private DsqlPool() {}

    static ForebayDataSource build(
            ForebayConfig config,
            List<Observer> observers,
            List<PoolListener> listeners,
            List<TxListener> txListeners,
            ListableBeanFactory beans)
            throws SQLException {
        AuroraDsql.Builder builder;
        try {
            builder = AuroraDsql.builder(config);
        } catch (IllegalArgumentException e) {
            throw new StartFailure(
                    "The settings for Aurora DSQL cannot be used:\n\n    " + e.getMessage(),
                    "Correct the value. docs/configuration.md tells what each setting takes.",
                    e);
        }
        AwsCredentialsProvider credentials =
                beans.getBeanProvider(AwsCredentialsProvider.class).getIfUnique();
        if (credentials != null) {
            builder.credentials(credentials);
        }
        observers.forEach(builder::observer);
        listeners.forEach(builder::listener);
        txListeners.forEach(builder::txListener);
        beans.getBeanProvider(AuroraDsqlCustomizer.class)
                .orderedStream()
                .forEach(customizer -> customizer.customize(builder));
        return builder.build();
    }
}
