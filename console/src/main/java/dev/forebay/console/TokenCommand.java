// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.ForebayConfig;
import dev.forebay.dsql.DsqlEndpoint;
import dev.forebay.dsql.DsqlTokens;
import dev.forebay.dsql.TokenException;
import dev.forebay.engine.internal.GoDuration;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.regions.Region;

/** {@code forebay token}: a password for psql. */
@Command(
        name = "token",
        description = "Prints a token to connect with: PGPASSWORD=$$(./forebay token) psql ...",
        mixinStandardHelpOptions = true)
final class TokenCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(names = "--user", paramLabel = "ROLE", description = "Whose token; by default DSQL_USER, else admin.")
    private @Nullable String user;

    @Option(
            names = "--endpoint",
            paramLabel = "CLUSTER",
            description = "The endpoint of the cluster; by default CLUSTER_ENDPOINT.")
    private @Nullable String endpoint;

    @Option(
            names = "--region",
            paramLabel = "REGION",
            description = "The region; by default REGION, else that of the endpoint.")
    private @Nullable String region;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            description = "How long it is good; by default DSQL_TOKEN_DURATION, else 15m.")
    private @Nullable String duration;

    @Override
    public Integer call() throws TokenException {
        DsqlTokens tokens;
        try {
            tokens = tokens();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
        String token = tokens.token().value();
        spec.commandLine().getOut().println(token);
        spec.commandLine().getOut().flush();
        return 0;
    }

    private DsqlTokens tokens() {
        ForebayConfig.Builder builder = ForebayConfig.builder().applyEnvironment(System.getenv());
        if (user != null) {
            builder.user(user);
        }
        if (endpoint != null) {
            builder.clusterEndpoint(endpoint);
        }
        if (region != null) {
            builder.region(WrongArguments.region(region));
        }
        if (duration != null) {
            builder.tokenDuration(parsed(duration));
        }
        return tokens(builder.build());
    }

    private static Duration parsed(String text) {
        try {
            return GoDuration.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--duration=" + text + ": " + Reason.of(e), e);
        }
    }

    /** The tokens that a service with these settings has. */
    static DsqlTokens tokens(ForebayConfig config) {
        DsqlEndpoint cluster = DsqlEndpoint.of(config);
        return new DsqlTokens(
                cluster.signedHost(),
                Region.of(cluster.region()),
                config.user(),
                config.tokenDuration(),
                DefaultCredentialsProvider.builder().build(),
                InstantSource.system());
    }
}
