// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.ForebayConfig;
import dev.forebay.model.ClusterSettings;
import dev.forebay.model.Fault;
import dev.forebay.model.Latency;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A scenario: a cluster, the services before it, their incidents, and the assertions. Immutable.
 *
 * @param name its name in reports
 * @param description a sentence for the report; may be empty
 * @param seed the source of all chance
 * @param endpoint the name of the cluster, as in the keys of leases
 * @param duration how long it runs, in virtual time
 * @param sampleEvery how often the levels are read
 * @param server the cluster
 * @param limits the limits that keep the fleet within the cluster's
 * @param store the table behind these limits
 * @param asserts the assertions
 * @param incidents the incidents of the fleet, in any order
 * @param services the services
 */
public record Scenario(
        String name,
        String description,
        long seed,
        String endpoint,
        Duration duration,
        Duration sampleEvery,
        Server server,
        Limits limits,
        Store store,
        Asserts asserts,
        List<Incident> incidents,
        List<Service> services) {

    public Scenario {
        incidents = List.copyOf(incidents);
        services = List.copyOf(services);
    }

    /** The same with another seed. */
    public Scenario withSeed(long other) {
        return new Scenario(
                name,
                description,
                other,
                endpoint,
                duration,
                sampleEvery,
                server,
                limits,
                store,
                asserts,
                incidents,
                services);
    }

    /** The same with all services in another mode. */
    public Scenario withMode(ForebayConfig.Mode mode) {
        List<Service> others =
                services.stream().map(service -> service.withMode(mode)).toList();
        return new Scenario(
                name,
                description,
                seed,
                endpoint,
                duration,
                sampleEvery,
                server,
                limits,
                store,
                asserts,
                incidents,
                others);
    }

    /** The same for another length of time. */
    public Scenario withDuration(Duration other) {
        return new Scenario(
                name,
                description,
                seed,
                endpoint,
                other,
                sampleEvery,
                server,
                limits,
                store,
                asserts,
                incidents,
                services);
    }

    /** The number of processes. */
    public int instances() {
        return services.stream().mapToInt(Service::count).sum();
    }

    /**
     * The cluster.
     *
     * @param settings its limits
     * @param connectLatency how long a connect takes, half of it before the cluster sees it
     * @param statementLatency how long a check of a connection takes, and half of it a close
     */
    public record Server(ClusterSettings settings, Latency connectLatency, Latency statementLatency) {

        /** A cluster of Aurora DSQL, as near as one in the same region. */
        public static final Server DSQL =
                new Server(ClusterSettings.dsql(), Latency.parse("30ms..80ms"), Latency.parse("2ms"));
    }

    /**
     * The limits that keep the fleet within the cluster's.
     *
     * @param perSecond how many connections the fleet opens a second
     * @param burst how many of these may be saved up
     * @param rateShared whether the fleet shares that limit; otherwise each process has its own, from its settings
     * @param leases whether the fleet counts its connections by leases, against the cluster's cap
     */
    public record Limits(int perSecond, int burst, boolean rateShared, boolean leases) {

        /** The limits without which a scenario is silent on them: 100 a second, nothing saved up. */
        public static final Limits DEFAULT = new Limits(100, 1, true, true);
    }

    /**
     * The table behind the limits.
     *
     * @param latency how long a call takes
     * @param outages the times at which it does not answer
     */
    public record Store(Latency latency, List<Outage> outages) {

        /** A store as near as DynamoDB that is never out. */
        public static final Store DEFAULT = new Store(Latency.parse("3ms..9ms"), List.of());

        public Store {
            outages = List.copyOf(outages);
        }
    }

    /**
     * A time without an answer.
     *
     * @param at its beginning
     * @param length how long it lasts
     */
    public record Outage(Duration at, Duration length) {}

    /**
     * The assertions, measured at the cluster. One that is null is not checked; that no connect is refused for its rate
     * or for the count, and that no second has more than rate and burst, always is.
     *
     * @param maxConnectsPerSec the most connects in a second of the clock
     * @param convergeWithin how long every process may take to reach its target, after its start and after an incident
     * @param stableFor how long it then has to hold it
     * @param minFill the least share of its target that it may fall to from then on, incidents apart
     * @param maxClosurePerSec the most connections closed in a second of the clock
     * @param zeroEmptyEvents whether no checkout may find nothing ready
     * @param maxWaitP99 the most that 99 of 100 checkouts may wait
     * @param maxOpen the most connections at the cluster
     * @param leasesCover whether the leases have to cover every connection at every moment
     */
    public record Asserts(
            @Nullable Integer maxConnectsPerSec,
            @Nullable Duration convergeWithin,
            @Nullable Duration stableFor,
            @Nullable Double minFill,
            @Nullable Integer maxClosurePerSec,
            boolean zeroEmptyEvents,
            @Nullable Duration maxWaitP99,
            @Nullable Integer maxOpen,
            boolean leasesCover) {

        /** The assertions of a scenario without any: converge within a minute and be stable for five seconds; and never below 90 % after. */
        public static final Asserts DEFAULT =
                new Asserts(null, Duration.ofSeconds(60), Duration.ofSeconds(5), 0.9, null, false, null, null, true);
    }

    /**
     * Something that befalls the fleet.
     */
    public sealed interface Incident {

        /** Its time. */
        Duration at();
    }

    /**
     * A fault of the cluster.
     *
     * @param at its time
     * @param fault the fault
     */
    public record ClusterFault(Duration at, Fault fault) implements Incident {}

    /**
     * Processes end without a word.
     *
     * @param at its time
     * @param service whose
     * @param instances how many of them, the first ones
     * @param restartAfter after how long they start again; null for never
     */
    public record Crash(
            Duration at,
            String service,
            int instances,
            @Nullable Duration restartAfter) implements Incident {}

    /**
     * Each process in turn is shut down and started again.
     *
     * @param every how long after the one before; the first after as long from the start
     * @param downtime how long one is gone
     */
    public record Roll(Duration every, Duration downtime) implements Incident {

        @Override
        public Duration at() {
            return every;
        }
    }

    /**
     * A service: processes that are alike.
     *
     * @param name its name
     * @param count how many processes
     * @param mode how connections are supplied
     * @param targetReady how many connections each keeps
     * @param guardWindow how long before its end a connection is not handed out
     * @param baseLifetime how long a connection lives, in reservoir mode
     * @param jitter the width of the range around it
     * @param startDelay when the first process starts
     * @param startEvery how long after it the next, and so on
     * @param clockSkew how wrong a process's wall clock may be, either way
     * @param zeroEmptyEvents whether no checkout of this service may find nothing ready; null as for all
     * @param settings other settings, by the property's name
     * @param workload the use of the connections; null for none
     */
    public record Service(
            String name,
            int count,
            ForebayConfig.Mode mode,
            int targetReady,
            Duration guardWindow,
            Duration baseLifetime,
            Duration jitter,
            Duration startDelay,
            Duration startEvery,
            Duration clockSkew,
            @Nullable Boolean zeroEmptyEvents,
            Map<String, String> settings,
            @Nullable Workload workload) {

        public Service {
            settings = Map.copyOf(settings);
        }

        /** The same in another mode. */
        public Service withMode(ForebayConfig.Mode other) {
            return new Service(
                    name,
                    count,
                    other,
                    targetReady,
                    guardWindow,
                    baseLifetime,
                    jitter,
                    startDelay,
                    startEvery,
                    clockSkew,
                    zeroEmptyEvents,
                    settings,
                    workload);
        }
    }

    /**
     * The work that uses the connections of one process.
     *
     * @param maxInUse how much work may be in progress, waiting for a connection included; more does not arrive
     * @param holdTime how long a piece of work holds its connection
     * @param holdJitter the width of the range around it
     * @param spawnEvery how often work arrives
     * @param arrivalBurst how many pieces at once, when the traffic is at 1
     * @param maxWait how long one waits for a connection
     * @param leakEvery of how many pieces one never returns its connection; 0 for none
     * @param traffic how the arrivals change over time
     */
    public record Workload(
            int maxInUse,
            Duration holdTime,
            Duration holdJitter,
            Duration spawnEvery,
            int arrivalBurst,
            Duration maxWait,
            int leakEvery,
            Traffic traffic) {}
}
