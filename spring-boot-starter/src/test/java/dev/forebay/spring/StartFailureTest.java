// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What a user reads when the application cannot start. */
class StartFailureTest {

    @Test
    void itIsNotSaidWhichDatabase() {
        FailureAnalysis analysis =
                analyse(Starting.bare().withClassLoader(new FilteredClassLoader("org.h2", "org.apache.derby")));
        assertThat(analysis.getDescription()).contains("which database");
        assertThat(analysis.getAction()).contains("spring.datasource.url", "forebay.dsql.endpoint");
    }

    @Test
    void noDriverTakesTheUrl() {
        FailureAnalysis analysis = analyse(Starting.bare()
                .withPropertyValues("spring.datasource.url=jdbc:mysql://user:s3cret@localhost/x?password=s3cret"));
        assertThat(analysis.getDescription()).contains("jdbc:mysql:").doesNotContain("s3cret");
        assertThat(analysis.getAction()).contains("com.mysql:mysql-connector-j");
    }

    @Test
    void theDriverIsNotThere() {
        FailureAnalysis analysis = analyse(
                Starting.onDemand().withPropertyValues("spring.datasource.driver-class-name=org.example.Driver"));
        assertThat(analysis.getDescription()).contains("org.example.Driver", "not on the class path");
    }

    @Test
    void theServerCannotBeReached() {
        FailureAnalysis analysis =
                analyse(failFast().withPropertyValues("spring.datasource.url=jdbc:postgresql://127.0.0.1:1/x"));
        assertThat(analysis.getDescription()).contains("could not open a single connection", "127.0.0.1:1");
        assertThat(analysis.getAction()).contains("can be reached", "forebay.fail-fast=false");
    }

    @Test
    void thePasswordIsWrong() {
        String url = "jdbc:h2:mem:locked;DB_CLOSE_DELAY=-1";
        Starting.bare()
                .withPropertyValues(
                        "spring.datasource.url=" + url,
                        "spring.datasource.username=ada",
                        "spring.datasource.password=right",
                        "forebay.mode=on-demand")
                .run(context -> context.getBean(javax.sql.DataSource.class)
                        .getConnection()
                        .close());
        FailureAnalysis analysis = analyse(failFast()
                .withPropertyValues(
                        "spring.datasource.url=" + url,
                        "spring.datasource.username=ada",
                        "spring.datasource.password=wr0ng"));
        assertThat(analysis.getDescription()).doesNotContain("wr0ng");
        assertThat(analysis.getAction()).contains("spring.datasource.username");
    }

    @Test
    void thereIsNoToken() {
        FailureAnalysis analysis = analyse(failFast()
                .withBean(software.amazon.awssdk.auth.credentials.AwsCredentialsProvider.class, () -> () -> {
                    throw new IllegalStateException("no credentials in sight");
                })
                .withPropertyValues("forebay.dsql.endpoint=abc.dsql.us-east-1.on.aws"));
        assertThat(analysis.getDescription()).contains("no credentials in sight");
        assertThat(analysis.getAction()).contains("AWS credentials");
    }

    @Test
    void theSettingsForAuroraDsqlCannotBeUsed() {
        FailureAnalysis analysis = analyse(failFast()
                .withPropertyValues(
                        "forebay.dsql.endpoint=abc.dsql.us-east-1.on.aws", "forebay.jdbc.isolation=read-committed"));
        assertThat(analysis.getDescription()).contains("one isolation level");
    }

    private static ApplicationContextRunner failFast() {
        return Starting.bare()
                .withPropertyValues(
                        "forebay.fail-fast=true",
                        "forebay.max-open=1",
                        "forebay.staggered-startup=false",
                        "forebay.standard.warmup-retries=0");
    }

    private static FailureAnalysis analyse(ApplicationContextRunner runner) {
        FailureAnalysis[] analysis = new FailureAnalysis[1];
        runner.run(context -> {
            assertThat(context).hasFailed();
            analysis[0] = new StartFailureAnalyzer().analyze(context.getStartupFailure());
        });
        return Objects.requireNonNull(analysis[0], "nobody explains the failure");
    }
}
