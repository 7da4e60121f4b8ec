// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.pools;

import dev.forebay.bench.driver.BenchDriver;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.AgroalDataSourceMetrics;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.exceptionsorter.PostgreSQLExceptionSorter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Agroal with a fixed size and its defaults: no leak detection, no validation. Its lifetimes have no spread.
 *
 * <p>It is given the errors that mean a lost connection, as it would be for PostgreSQL. It has no binding to
 * Micrometer; with metrics on it collects its own, and they are read through a registry.
 */
final class AgroalPool implements PoolUnderTest {

    private final AgroalDataSource dataSource;

    AgroalPool(Terms terms) throws SQLException {
        dataSource = AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                .metricsEnabled(terms.metrics())
                .connectionPoolConfiguration(pool -> pool.initialSize(terms.size())
                        .minSize(terms.size())
                        .maxSize(terms.size())
                        .acquisitionTimeout(terms.timeout())
                        .maxLifetime(terms.lifetime())
                        .exceptionSorter(new PostgreSQLExceptionSorter())
                        .connectionFactoryConfiguration(factory -> factory.connectionProviderClass(BenchDriver.class)
                                .jdbcUrl(BenchDriver.serve(terms.server())))));
        if (terms.metrics()) {
            bind(dataSource.getMetrics(), new SimpleMeterRegistry());
        }
    }

    private static void bind(AgroalDataSourceMetrics metrics, MeterRegistry registry) {
        Gauge.builder("agroal.active", metrics, AgroalDataSourceMetrics::activeCount)
                .register(registry);
        Gauge.builder("agroal.available", metrics, AgroalDataSourceMetrics::availableCount)
                .register(registry);
        Gauge.builder("agroal.awaiting", metrics, AgroalDataSourceMetrics::awaitingCount)
                .register(registry);
        FunctionCounter.builder("agroal.acquire", metrics, AgroalDataSourceMetrics::acquireCount)
                .register(registry);
        FunctionCounter.builder(
                        "agroal.blocking",
                        metrics,
                        all -> all.blockingTimeTotal().toNanos())
                .register(registry);
    }

    @Override
    public DataSource dataSource() {
        return dataSource;
    }

    @Override
    public void close() {
        dataSource.close();
    }
}
