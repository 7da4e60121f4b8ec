// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.forebay.ForebayConfig;
import dev.forebay.ForebayDataSource;
import dev.forebay.dsql.AuroraDsql;
import java.sql.Connection;
import java.util.Map;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** Which data source an application gets. */
class DataSourceTest {

    @Test
    void theDataSourceIsThePoolAlthoughHikariIsOnTheClassPath() {
        Starting.onDemand().run(context -> {
            DataSource dataSource = context.getBean(DataSource.class);
            assertThat(dataSource).isInstanceOf(ForebayDataSource.class);
            assertThat(dataSource.unwrap(ForebayDataSource.class).config().mode())
                    .isEqualTo(ForebayConfig.Mode.ON_DEMAND);
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("SELECT 7", Integer.class))
                    .isEqualTo(7);
        });
    }

    @Test
    void theApplicationsOwnDataSourceWins() {
        Starting.onDemand().withUserConfiguration(Own.class).run(context -> {
            assertThat(context).hasSingleBean(DataSource.class);
            assertThat(context.getBean(DataSource.class)).isInstanceOf(JdbcDataSource.class);
            assertThat(context).doesNotHaveBean(SpringSettings.class);
        });
    }

    @Test
    void anotherTypeWinsIfItIsAskedFor() {
        Starting.onDemand()
                .withPropertyValues("spring.datasource.type=com.zaxxer.hikari.HikariDataSource")
                .run(context -> assertThat(context.getBean(DataSource.class)).isInstanceOf(HikariDataSource.class));
    }

    @Test
    void ourTypeMayBeAskedFor() {
        Starting.onDemand()
                .withPropertyValues("spring.datasource.type=dev.forebay.ForebayDataSource")
                .run(context -> assertThat(context.getBean(DataSource.class)).isInstanceOf(ForebayDataSource.class));
    }

    @Test
    void userAndPasswordAreThoseOfSpring() {
        Starting.onDemand()
                .withPropertyValues("spring.datasource.username=ada", "spring.datasource.password=s3cret")
                .run(context -> {
                    assertThat(context.getBean(JdbcTemplate.class).queryForObject("SELECT CURRENT_USER", String.class))
                            .isEqualTo("ADA");
                    assertThat(context.getBean(DataSource.class).toString()).doesNotContain("s3cret");
                });
    }

    @Test
    void aServiceConnectionComesBeforeTheUrl() {
        Starting.onDemand()
                .withUserConfiguration(Service.class)
                .run(context -> assertThat(
                                context.getBean(JdbcTemplate.class).queryForObject("SELECT CURRENT_USER", String.class))
                        .isEqualTo("SERVICE"));
    }

    @Test
    void aDatabaseInMemoryIsUsedIfNothingElseIsSaid() {
        Starting.bare().withPropertyValues("forebay.mode=on-demand").run(context -> {
            assertThat(context.getBean(DataSource.class)).isInstanceOf(ForebayDataSource.class);
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("SELECT 1", Integer.class))
                    .isEqualTo(1);
        });
    }

    @Test
    void thePoolIsFoundBehindALazyProxy() {
        Starting.onDemand()
                .withPropertyValues("spring.datasource.connection-fetch=lazy")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    DataSource dataSource = context.getBean(DataSource.class);
                    assertThat(PoolIn.unwrap(dataSource)).isNotNull();
                    assertThat(metadata(
                                            context.getBean(
                                                    "forebayPoolMetadataProvider",
                                                    DataSourcePoolMetadataProvider.class),
                                            dataSource)
                                    .getMax())
                            .isEqualTo(5);
                });
    }

    @Test
    void itsFiguresAreToldInBootsWords() {
        Starting.onDemand()
                .withPropertyValues("forebay.on-demand.min-idle=2", "forebay.jdbc.validation-sql=SELECT 1")
                .run(context -> {
                    DataSource dataSource = context.getBean(DataSource.class);
                    DataSourcePoolMetadata metadata = metadata(
                            context.getBean("forebayPoolMetadataProvider", DataSourcePoolMetadataProvider.class),
                            dataSource);
                    try (Connection held = dataSource.getConnection()) {
                        assertThat(held.isValid(1)).isTrue();
                        assertThat(metadata.getActive()).isEqualTo(1);
                        assertThat(metadata.getUsage()).isEqualTo(0.2f);
                    }
                    assertThat(metadata.getActive()).isZero();
                    assertThat(metadata.getIdle()).isPositive();
                    assertThat(metadata.getMax()).isEqualTo(5);
                    assertThat(metadata.getMin()).isEqualTo(2);
                    assertThat(metadata.getValidationQuery()).isEqualTo("SELECT 1");
                    assertThat(metadata.getDefaultAutoCommit()).isTrue();
                });
    }

    @Test
    void aCustomizerHasASayInThePool() {
        Starting.onDemand()
                .withBean(ForebayDataSourceCustomizer.class, () -> builder -> builder.user("grace"))
                .run(context -> assertThat(
                                context.getBean(JdbcTemplate.class).queryForObject("SELECT CURRENT_USER", String.class))
                        .isEqualTo("GRACE"));
    }

    // ---- Aurora DSQL

    @Test
    void anEndpointIsAuroraDsql() {
        Starting.bare()
                .withPropertyValues("forebay.dsql.endpoint=abc.dsql.us-east-1.on.aws", "forebay.mode=on-demand")
                .run(context -> {
                    ForebayDataSource dataSource = context.getBean(ForebayDataSource.class);
                    assertThat(dataSource.config().clusterEndpoint()).isEqualTo("abc.dsql.us-east-1.on.aws");
                    assertThat(dataSource.config().networkTimeout().toSeconds()).isEqualTo(330);
                });
    }

    @Test
    void aUrlComesBeforeAnEndpointThatIsOnlyAVariable() {
        Starting.withVariables(Starting.onDemand(), Map.of("CLUSTER_ENDPOINT", "abc.dsql.us-east-1.on.aws"))
                .run(context -> assertThat(
                                context.getBean(JdbcTemplate.class).queryForObject("SELECT 7", Integer.class))
                        .isEqualTo(7));
    }

    @Test
    void aUrlAndAnEndpointContradictEachOther() {
        Starting.onDemand()
                .withPropertyValues("forebay.dsql.endpoint=abc.dsql.us-east-1.on.aws")
                .run(context -> assertThat(
                                Starting.failure(context.getStartupFailure()).description())
                        .contains("spring.datasource.url", "forebay.dsql.endpoint"));
    }

    @Test
    void withoutTheModuleAnEndpointIsAReadableFailure() {
        Starting.bare()
                .withClassLoader(new FilteredClassLoader(AuroraDsql.class))
                .withPropertyValues("forebay.dsql.endpoint=abc.dsql.us-east-1.on.aws", "forebay.mode=on-demand")
                .run(context -> {
                    StartFailure failure = Starting.failure(context.getStartupFailure());
                    assertThat(failure.description()).contains("not on the class path");
                    assertThat(failure.action()).contains("dev.forebay:forebay-dsql");
                });
    }

    @Test
    void withoutTheModuleAUrlIsEnough() {
        Starting.onDemand()
                .withClassLoader(new FilteredClassLoader("dev.forebay.dsql", "software.amazon"))
                .run(context -> assertThat(context).hasSingleBean(ForebayDataSource.class));
    }

    private static DataSourcePoolMetadata metadata(DataSourcePoolMetadataProvider provider, DataSource dataSource) {
        return provider.getDataSourcePoolMetadata(dataSource);
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {
        @Bean
        DataSource own() {
            return new JdbcDataSource();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Service {
        @Bean
        JdbcConnectionDetails details() {
            return new JdbcConnectionDetails() {
                @Override
                public String getUsername() {
                    return "service";
                }

                @Override
                public String getPassword() {
                    return "pw";
                }

                @Override
                public String getJdbcUrl() {
                    return "jdbc:h2:mem:service";
                }
            };
        }
    }
}
