// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.ForebayConfig;
import dev.forebay.model.ClusterSettings;
import dev.forebay.model.Fault;
import dev.forebay.model.Latency;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The keys of a scenario's file, each declared once; {@code docs/simulator.md} lists them. Immutable. */
final class ScenarioKeys {

    private static final List<ScenarioKey<?>> DECLARED = new ArrayList<>();

    private static final int MANY = 1_000_000;
    private static final Duration TICK = Duration.ofMillis(1);
    private static final ValueKind<Duration> TIME = ValueKind.duration(Duration.ZERO);
    private static final ValueKind<Duration> LENGTH = ValueKind.duration(TICK);
    private static final ValueKind<String> NAME = ValueKind.text(
            "name",
            "1 to 64 letters, digits, dots, dashes and underscores, the first a letter",
            "[A-Za-z][A-Za-z0-9._-]{0,63}");

    /** A character that neither moves a cursor nor turns the text around: it is printed in terminals. */
    private static final String PRINTABLE = "[^\\p{Cc}\\u2028-\\u202e\\u2066-\\u2069]";

    private static final ClusterSettings DSQL = Scenario.Server.DSQL.settings();

    // ---- the scenario

    static final ScenarioKey<String> TITLE = open(
            Section.TOP,
            "name",
            ValueKind.text("text", "1 to 100 characters", PRINTABLE + "{1,100}"),
            "the file's name",
            "What it is called in reports.");
    static final ScenarioKey<String> DESCRIPTION = open(
            Section.TOP,
            "description",
            ValueKind.text("text", "up to 1000 characters", PRINTABLE + "{0,1000}"),
            "none",
            "A sentence for the report.");
    static final ScenarioKey<Long> SEED = of(Section.TOP, "seed", ValueKind.SEED, 42L, "What all chance comes from.");
    static final ScenarioKey<String> ENDPOINT = of(
            Section.TOP,
            "endpoint",
            ValueKind.text("text", "1 to 255 characters of a host's name", "[A-Za-z0-9._:-]{1,255}"),
            "simulated",
            "The name of the cluster, as in the keys of leases.");
    static final ScenarioKey<Duration> DURATION =
            of(Section.TOP, "duration", LENGTH, Duration.ofMinutes(20), "How long it runs, in virtual time.");
    static final ScenarioKey<Duration> SAMPLE_EVERY =
            of(Section.TOP, "sampleEvery", LENGTH, Duration.ofSeconds(1), "How often the levels are read.");
    static final ScenarioKey<ForebayConfig.Mode> MODE = of(
            Section.TOP,
            "mode",
            ValueKind.choice(ForebayConfig.Mode.class),
            ForebayConfig.Mode.RESERVOIR,
            "How connections are supplied, unless a service has its own.");

    // ---- what keeps the fleet within the cluster's limits

    static final ScenarioKey<Integer> LIMITER_PER_SEC = of(
            Section.TOP,
            "limiterPerSec",
            ValueKind.count(1, MANY),
            Scenario.Limits.DEFAULT.perSecond(),
            "How many connections the fleet opens a second.");
    static final ScenarioKey<Integer> LIMITER_BURST = of(
            Section.TOP,
            "limiterBurst",
            ValueKind.count(1, MANY),
            Scenario.Limits.DEFAULT.burst(),
            "How many of these may be saved up.");
    static final ScenarioKey<Limiter> LIMITER = of(
            Section.TOP,
            "limiter",
            ValueKind.choice(Limiter.class),
            Scenario.Limits.DEFAULT.rateShared() ? Limiter.SHARED : Limiter.LOCAL,
            "Whether the fleet shares that limit; local gives each process its own, `forebay.connection-rate-limit`.");
    static final ScenarioKey<Boolean> LEASES = of(
            Section.TOP,
            "leases",
            ValueKind.FLAG,
            Scenario.Limits.DEFAULT.leases(),
            "Whether the fleet counts its connections by leases, against the cluster's cap.");

    // ---- what has to hold

    static final ScenarioKey<Optional<Integer>> MAX_CONNECTS = assertion(
            "assertMaxConnectsPerSec",
            ValueKind.count(1, MANY),
            Scenario.Asserts.DEFAULT.maxConnectsPerSec(),
            "The most connects in a second of the clock, as the cluster counts them.");
    static final ScenarioKey<Optional<Duration>> CONVERGE_WITHIN = assertion(
            "assertConvergeWithin",
            LENGTH,
            Scenario.Asserts.DEFAULT.convergeWithin(),
            "How long every process may take to reach its target, after its start and after an incident.");
    static final ScenarioKey<Optional<Duration>> STABLE_FOR = assertion(
            "assertStableFor", TIME, Scenario.Asserts.DEFAULT.stableFor(), "How long it then has to hold its target.");
    static final ScenarioKey<Optional<Double>> MIN_FILL = assertion(
            "assertMinFill",
            ValueKind.FRACTION,
            Scenario.Asserts.DEFAULT.minFill(),
            "The least share of its target that it may fall to from then on, incidents apart.");
    static final ScenarioKey<Optional<Integer>> MAX_CLOSURES = assertion(
            "assertMaxClosurePerSec",
            ValueKind.count(0, MANY),
            Scenario.Asserts.DEFAULT.maxClosurePerSec(),
            "The most connections closed in a second of the clock.");
    static final ScenarioKey<Boolean> ZERO_EMPTY = of(
            Section.TOP,
            "assertZeroEmptyEvents",
            ValueKind.FLAG,
            Scenario.Asserts.DEFAULT.zeroEmptyEvents(),
            "Whether no checkout may find nothing ready, unless a service says otherwise.");
    static final ScenarioKey<Optional<Duration>> MAX_WAIT_P99 = assertion(
            "assertMaxWaitP99",
            TIME,
            Scenario.Asserts.DEFAULT.maxWaitP99(),
            "The most that 99 of 100 checkouts may wait.");
    static final ScenarioKey<Optional<Integer>> MAX_OPEN = assertion(
            "assertMaxOpen",
            ValueKind.count(1, MANY),
            Scenario.Asserts.DEFAULT.maxOpen(),
            "The most connections at the cluster.");
    static final ScenarioKey<Boolean> LEASES_COVER = open(
            Section.TOP,
            "assertLeasesCover",
            ValueKind.FLAG,
            "as `leases`",
            "Whether the leases have to cover every connection at every moment.");

    // ---- the cluster

    static final ScenarioKey<String> SERVER =
            open(Section.TOP, "server", ValueKind.MAPPING, "as below", "The cluster, with the numbers of Aurora DSQL.");
    static final ScenarioKey<Double> CONNECTS_PER_SEC = of(
            Section.SERVER,
            "connectsPerSec",
            ValueKind.number(0.001, MANY),
            DSQL.connectsPerSecond(),
            "How many connects are admitted each second in the long run.");
    static final ScenarioKey<Integer> BURST = of(
            Section.SERVER,
            "burst",
            ValueKind.count(1, MANY),
            Math.toIntExact(DSQL.connectBurst()),
            "How many connects are admitted at once after a rest.");
    static final ScenarioKey<Integer> CAP = of(
            Section.SERVER,
            "cap",
            ValueKind.count(1, MANY),
            DSQL.mostSessions(),
            "How many sessions may be open; also the limit of the leases.");
    static final ScenarioKey<Duration> LIFETIME =
            of(Section.SERVER, "lifetime", LENGTH, DSQL.lifetime(), "How long a session may last.");
    static final ScenarioKey<Duration> TRANSACTION_GRACE = of(
            Section.SERVER,
            "transactionGrace",
            TIME,
            DSQL.transactionGrace(),
            "How much longer it may last if it is in a transaction then.");
    static final ScenarioKey<Boolean> REFUSED_CONNECT_SPENDS = of(
            Section.SERVER,
            "refusedConnectSpends",
            ValueKind.FLAG,
            DSQL.refusedConnectSpends(),
            "Whether a refused connect counts against the rate.");
    static final ScenarioKey<Latency> CONNECT_LATENCY = of(
            Section.SERVER,
            "connectLatency",
            ValueKind.LATENCY,
            Scenario.Server.DSQL.connectLatency(),
            "How long a connect takes, half of it before the cluster sees it.");
    static final ScenarioKey<Latency> STATEMENT_LATENCY = of(
            Section.SERVER,
            "statementLatency",
            ValueKind.LATENCY,
            Scenario.Server.DSQL.statementLatency(),
            "How long a check of a connection takes, and half of it a close.");

    // ---- the table behind the limits

    static final ScenarioKey<String> STORE =
            open(Section.TOP, "store", ValueKind.MAPPING, "as below", "The table behind the shared limits.");
    static final ScenarioKey<Latency> STORE_LATENCY =
            of(Section.STORE, "latency", ValueKind.LATENCY, Scenario.Store.DEFAULT.latency(), "How long a call takes.");
    static final ScenarioKey<String> OUTAGES =
            open(Section.STORE, "outages", ValueKind.LIST, "none", "When it answers nobody.");
    static final ScenarioKey<Duration> OUTAGE_AT = required(Section.OUTAGE, "at", TIME, "When that begins.");
    static final ScenarioKey<Duration> OUTAGE_FOR = required(Section.OUTAGE, "for", LENGTH, "How long it lasts.");

    // ---- what befalls the fleet

    static final ScenarioKey<String> SCENARIO =
            open(Section.TOP, "scenario", ValueKind.MAPPING, "as below", "What happens, in one word.");
    static final ScenarioKey<Kind> KIND = of(
            Section.SCENARIO,
            "kind",
            ValueKind.choice(Kind.class),
            Kind.COLD_START,
            "All start with nothing; and then each is restarted in turn, or many connections drop at once.");
    static final ScenarioKey<Duration> ROLL_EVERY = of(
            Section.SCENARIO,
            "rollEvery",
            LENGTH,
            Duration.ofSeconds(60),
            "With `rolling_restart`: how long after the one before a process is shut down.");
    static final ScenarioKey<Duration> DOWNTIME = of(
            Section.SCENARIO,
            "downtime",
            TIME,
            Duration.ofSeconds(5),
            "With `rolling_restart`: how long a process is gone.");
    static final ScenarioKey<Duration> DROP_AT =
            of(Section.SCENARIO, "dropAt", TIME, Duration.ofMinutes(5), "With `mass_drop`: when connections drop.");
    static final ScenarioKey<Double> DROP_FRACTION =
            of(Section.SCENARIO, "dropFraction", ValueKind.FRACTION, 0.3, "With `mass_drop`: how many of them.");
    static final ScenarioKey<String> FAULTS =
            open(Section.TOP, "faults", ValueKind.LIST, "none", "Faults of the cluster.");
    static final ScenarioKey<Duration> FAULT_AT = required(Section.FAULT, "at", TIME, "When.");
    static final ScenarioKey<Fault> FAULT = required(
            Section.FAULT,
            "fault",
            ValueKind.FAULT,
            "What, in the words of the local DSQL: `drop 50%`, `freeze 5s`, `refuse connects 5s`, `waking up 10s`, "
                    + "`delay statements exp 20ms for 1m`, `clear`.");
    static final ScenarioKey<String> CRASHES =
            open(Section.TOP, "crashes", ValueKind.LIST, "none", "Processes that end without a word.");
    static final ScenarioKey<Duration> CRASH_AT = required(Section.CRASH, "at", TIME, "When.");
    static final ScenarioKey<String> CRASH_SERVICE = required(Section.CRASH, "service", NAME, "Whose.");
    static final ScenarioKey<Integer> CRASH_INSTANCES =
            of(Section.CRASH, "instances", ValueKind.count(1, MANY), 1, "How many of them, the first ones.");
    static final ScenarioKey<Optional<Duration>> RESTART_AFTER = of(
            Section.CRASH,
            "restartAfter",
            TIME.orOff(),
            Optional.empty(),
            "After how long they start again; off for never.");

    // ---- the services

    static final ScenarioKey<String> SERVICES = required(Section.TOP, "services", ValueKind.LIST, "The services.");
    static final ScenarioKey<String> SERVICE_NAME = required(Section.SERVICE, "name", NAME, "What it is called.");
    static final ScenarioKey<Integer> COUNT =
            of(Section.SERVICE, "count", ValueKind.count(1, 10_000), 1, "How many processes.");
    static final ScenarioKey<ForebayConfig.Mode> SERVICE_MODE = open(
            Section.SERVICE,
            "mode",
            ValueKind.choice(ForebayConfig.Mode.class),
            "as for all",
            "How connections are supplied.");
    static final ScenarioKey<Integer> TARGET_READY = of(
            Section.SERVICE,
            "targetReady",
            ValueKind.count(1, 100_000),
            50,
            "How many connections each process keeps; in other modes than reservoir, how many it may open.");
    static final ScenarioKey<Duration> GUARD_WINDOW = of(
            Section.SERVICE,
            "guardWindow",
            TIME,
            Duration.ofSeconds(45),
            "How long before its end a connection is not handed out.");
    static final ScenarioKey<Duration> BASE_LIFETIME = of(
            Section.SERVICE,
            "baseLifetime",
            LENGTH,
            Duration.ofMinutes(11),
            "How long a connection lives, in reservoir mode.");
    static final ScenarioKey<Duration> JITTER =
            of(Section.SERVICE, "jitter", TIME, Duration.ofMinutes(2), "The width of the range around it.");
    static final ScenarioKey<Duration> START_DELAY =
            of(Section.SERVICE, "startDelay", TIME, Duration.ZERO, "When the first process starts.");
    static final ScenarioKey<Duration> START_EVERY =
            of(Section.SERVICE, "startEvery", TIME, Duration.ZERO, "How long after it the next, and so on.");
    static final ScenarioKey<Duration> CLOCK_SKEW = of(
            Section.SERVICE,
            "clockSkew",
            ValueKind.duration(Duration.ZERO, Duration.ofHours(24)),
            Duration.ZERO,
            "How wrong a process's wall clock may be, either way.");
    static final ScenarioKey<Boolean> SERVICE_ZERO_EMPTY = open(
            Section.SERVICE,
            "assertZeroEmptyEvents",
            ValueKind.FLAG,
            "as for all",
            "Whether no checkout of this service may find nothing ready.");
    static final ScenarioKey<String> SETTINGS = open(
            Section.SERVICE,
            "settings",
            ValueKind.MAPPING,
            "none",
            "Any other setting of [configuration.md](configuration.md), by its property, with or without `forebay.`.");

    // ---- what uses the connections

    static final ScenarioKey<String> WORKLOAD =
            open(Section.SERVICE, "workload", ValueKind.MAPPING, "none", "What uses the connections of each process.");
    static final ScenarioKey<Boolean> ENABLED =
            of(Section.WORKLOAD, "enabled", ValueKind.FLAG, true, "Whether there is any, where this is written.");
    static final ScenarioKey<Integer> MAX_IN_USE = open(
            Section.WORKLOAD,
            "maxInUse",
            ValueKind.count(1, MANY),
            "`targetReady`",
            "How much work may be under way, waiting for a connection included; more does not arrive.");
    static final ScenarioKey<Duration> HOLD_TIME = of(
            Section.WORKLOAD,
            "holdTime",
            TIME,
            Duration.ofMillis(10),
            "How long a piece of work holds its connection.");
    static final ScenarioKey<Duration> HOLD_JITTER =
            of(Section.WORKLOAD, "holdJitter", TIME, Duration.ZERO, "The width of the range around it.");
    static final ScenarioKey<Duration> SPAWN_EVERY =
            of(Section.WORKLOAD, "spawnEvery", LENGTH, Duration.ofMillis(200), "How often work arrives.");
    static final ScenarioKey<Integer> ARRIVAL_BURST = of(
            Section.WORKLOAD,
            "arrivalBurst",
            ValueKind.count(1, 10_000),
            5,
            "How many pieces at once, when the traffic is at 1.");
    static final ScenarioKey<Duration> MAX_WAIT =
            of(Section.WORKLOAD, "maxWait", TIME, Duration.ofSeconds(10), "How long one waits for a connection.");
    static final ScenarioKey<Integer> LEAK_EVERY = of(
            Section.WORKLOAD,
            "leakEvery",
            ValueKind.count(0, MANY),
            0,
            "Of how many pieces one never returns its connection; 0 for none.");
    static final ScenarioKey<String> TRAFFIC =
            open(Section.WORKLOAD, "traffic", ValueKind.MAPPING, "steady", "How the arrivals change over time.");
    static final ScenarioKey<Shape> SHAPE = of(
            Section.TRAFFIC,
            "shape",
            ValueKind.choice(Shape.class),
            Shape.STEADY,
            "Always the same, a curve each day, more for a while, or as recorded.");
    static final ScenarioKey<Double> LEAST =
            of(Section.TRAFFIC, "least", ValueKind.number(0, 1_000), 0.1, "With `daily`: the factor at night.");
    static final ScenarioKey<Double> MOST =
            of(Section.TRAFFIC, "most", ValueKind.number(0, 1_000), 1.0, "With `daily`: the factor at noon.");
    static final ScenarioKey<Duration> PERIOD =
            of(Section.TRAFFIC, "period", LENGTH, Duration.ofHours(24), "With `daily`: the length of a day.");
    static final ScenarioKey<Duration> SPIKE_AT =
            required(Section.TRAFFIC, "at", TIME, "With `spike`: when it begins.");
    static final ScenarioKey<Duration> SPIKE_FOR =
            required(Section.TRAFFIC, "for", LENGTH, "With `spike`: how long it lasts.");
    static final ScenarioKey<Double> FACTOR =
            required(Section.TRAFFIC, "factor", ValueKind.number(0, 1_000), "With `spike`: the factor.");
    static final ScenarioKey<String> FILE = required(
            Section.TRAFFIC,
            "file",
            ValueKind.text("file", "the name of a file", PRINTABLE + "{1,1000}"),
            "With `replay`: a CSV with `seconds,factor` in each line, found from the scenario's own place.");

    /** In the order of the reference page. */
    static final List<ScenarioKey<?>> ALL = List.copyOf(DECLARED);

    private ScenarioKeys() {}

    private static <T> ScenarioKey<T> of(Section section, String name, ValueKind<T> kind, T value, String meaning) {
        return declare(new ScenarioKey<>(
                section, name, kind, value, "`" + kind.format().apply(value) + "`", meaning));
    }

    /** A key whose default follows from something else, in the words of {@code otherwise}. */
    private static <T> ScenarioKey<T> open(
            Section section, String name, ValueKind<T> kind, String otherwise, String meaning) {
        return declare(new ScenarioKey<>(section, name, kind, null, otherwise, meaning));
    }

    private static <T> ScenarioKey<T> required(Section section, String name, ValueKind<T> kind, String meaning) {
        return declare(new ScenarioKey<>(section, name, kind, null, "required", meaning));
    }

    private static <T> ScenarioKey<Optional<T>> assertion(
            String name, ValueKind<T> kind, @Nullable T value, String meaning) {
        return of(Section.TOP, name, kind.orOff(), Optional.ofNullable(value), meaning);
    }

    private static <T> ScenarioKey<T> declare(ScenarioKey<T> key) {
        DECLARED.add(key);
        return key;
    }

    /** The places where keys stand. */
    enum Section {
        TOP("the scenario"),
        SERVER("server"),
        STORE("store"),
        OUTAGE("store.outages[]"),
        SCENARIO("scenario"),
        FAULT("faults[]"),
        CRASH("crashes[]"),
        SERVICE("services[]"),
        WORKLOAD("services[].workload"),
        TRAFFIC("services[].workload.traffic");

        private final String title;

        Section(String title) {
            this.title = title;
        }

        /** Its name in messages and in the reference page. */
        String title() {
            return title;
        }

        List<ScenarioKey<?>> keys() {
            return ALL.stream().filter(key -> key.section() == this).toList();
        }
    }

    /** The kinds of incidents of a scenario. */
    enum Kind {
        COLD_START,
        ROLLING_RESTART,
        MASS_DROP
    }

    /** Whose limit the limit on connects is. */
    enum Limiter {
        SHARED,
        LOCAL
    }

    /** How arrivals change over time. */
    enum Shape {
        STEADY,
        DAILY,
        SPIKE,
        REPLAY
    }
}
