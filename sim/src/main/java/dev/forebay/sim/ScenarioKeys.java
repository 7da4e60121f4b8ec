// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.ForebayConfig;
import dev.forebay.engine.internal.Option;
import dev.forebay.engine.internal.OptionKind;
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

    private static final List<Option<?>> DECLARED = new ArrayList<>();

    private static final String REQUIRED = "required";
    private static final int MANY = 1_000_000;
    private static final Duration TICK = Duration.ofMillis(1);
    private static final OptionKind<Duration> TIME = ScenarioKinds.lasting(Duration.ZERO);
    private static final OptionKind<Duration> LENGTH = ScenarioKinds.lasting(TICK);
    private static final OptionKind<String> NAME = ScenarioKinds.line(
            "name",
            "1 to 64 letters, digits, dots, dashes and underscores, the first a letter",
            "[A-Za-z][A-Za-z0-9._-]{0,63}");

    /** A character that neither moves a cursor nor turns the text around: it is printed in terminals. */
    private static final String PRINTABLE = "[^\\p{Cc}\\u2028-\\u202e\\u2066-\\u2069]";

    private static final ClusterSettings DSQL = Scenario.Server.DSQL.settings();

    // ---- the scenario

    static final Option<String> TITLE = open(
            Section.TOP,
            "name",
            ScenarioKinds.line("text", "1 to 100 characters", PRINTABLE + "{1,100}"),
            "the file's name",
            "What it is called in reports.");
    static final Option<String> DESCRIPTION = open(
            Section.TOP,
            "description",
            ScenarioKinds.line("text", "up to 1000 characters", PRINTABLE + "{0,1000}"),
            "none",
            "A sentence for the report.");
    static final Option<Long> SEED = of(
            Section.TOP, "seed", OptionKind.whole(Long.MIN_VALUE, Long.MAX_VALUE), 42L, "What all chance comes from.");
    static final Option<String> ENDPOINT = of(
            Section.TOP,
            "endpoint",
            ScenarioKinds.line("text", "1 to 255 characters of a host's name", "[A-Za-z0-9._:-]{1,255}"),
            "simulated",
            "The name of the cluster, as in the keys of leases.");
    static final Option<Duration> DURATION =
            of(Section.TOP, "duration", LENGTH, Duration.ofMinutes(20), "How long it runs, in virtual time.");
    static final Option<Duration> SAMPLE_EVERY =
            of(Section.TOP, "sampleEvery", LENGTH, Duration.ofSeconds(1), "How often the levels are read.");
    static final Option<ForebayConfig.Mode> MODE = of(
            Section.TOP,
            "mode",
            ScenarioKinds.choice(ForebayConfig.Mode.class),
            ForebayConfig.Mode.RESERVOIR,
            "How connections are supplied, unless a service has its own.");

    // ---- what keeps the fleet within the cluster's limits

    static final Option<Integer> LIMITER_PER_SEC = of(
            Section.TOP,
            "limiterPerSec",
            OptionKind.count(1, MANY),
            Scenario.Limits.DEFAULT.perSecond(),
            "How many connections the fleet opens a second.");
    static final Option<Integer> LIMITER_BURST = of(
            Section.TOP,
            "limiterBurst",
            OptionKind.count(1, MANY),
            Scenario.Limits.DEFAULT.burst(),
            "How many of these may be saved up.");
    static final Option<Limiter> LIMITER = of(
            Section.TOP,
            "limiter",
            ScenarioKinds.choice(Limiter.class),
            Scenario.Limits.DEFAULT.rateShared() ? Limiter.SHARED : Limiter.LOCAL,
            "Whether the fleet shares that limit; local gives each process its own, `forebay.connection-rate-limit`.");
    static final Option<Boolean> LEASES = of(
            Section.TOP,
            "leases",
            ScenarioKinds.FLAG,
            Scenario.Limits.DEFAULT.leases(),
            "Whether the fleet counts its connections by leases, against the cluster's cap.");

    // ---- what has to hold

    static final Option<Optional<Integer>> MAX_CONNECTS = assertion(
            "assertMaxConnectsPerSec",
            OptionKind.count(1, MANY),
            Scenario.Asserts.DEFAULT.maxConnectsPerSec(),
            "The most connects in a second of the clock, as the cluster counts them.");
    static final Option<Optional<Duration>> CONVERGE_WITHIN = assertion(
            "assertConvergeWithin",
            LENGTH,
            Scenario.Asserts.DEFAULT.convergeWithin(),
            "How long every process may take to reach its target, after its start and after an incident.");
    static final Option<Optional<Duration>> STABLE_FOR = assertion(
            "assertStableFor", TIME, Scenario.Asserts.DEFAULT.stableFor(), "How long it then has to hold its target.");
    static final Option<Optional<Double>> MIN_FILL = assertion(
            "assertMinFill",
            ScenarioKinds.FRACTION,
            Scenario.Asserts.DEFAULT.minFill(),
            "The least share of its target that it may fall to from then on, incidents apart.");
    static final Option<Optional<Integer>> MAX_CLOSURES = assertion(
            "assertMaxClosurePerSec",
            OptionKind.count(0, MANY),
            Scenario.Asserts.DEFAULT.maxClosurePerSec(),
            "The most connections closed in a second of the clock.");
    static final Option<Boolean> ZERO_EMPTY = of(
            Section.TOP,
            "assertZeroEmptyEvents",
            ScenarioKinds.FLAG,
            Scenario.Asserts.DEFAULT.zeroEmptyEvents(),
            "Whether no checkout may find nothing ready, unless a service says otherwise.");
    static final Option<Optional<Duration>> MAX_WAIT_P99 = assertion(
            "assertMaxWaitP99",
            TIME,
            Scenario.Asserts.DEFAULT.maxWaitP99(),
            "The most that 99 of 100 checkouts may wait.");
    static final Option<Optional<Integer>> MAX_OPEN = assertion(
            "assertMaxOpen",
            OptionKind.count(1, MANY),
            Scenario.Asserts.DEFAULT.maxOpen(),
            "The most connections at the cluster.");
    static final Option<Boolean> LEASES_COVER = open(
            Section.TOP,
            "assertLeasesCover",
            ScenarioKinds.FLAG,
            "as `leases`",
            "Whether the leases have to cover every connection at every moment.");

    // ---- the cluster

    static final Option<String> SERVER = open(
            Section.TOP, "server", ScenarioKinds.MAPPING, "as below", "The cluster, with the numbers of Aurora DSQL.");
    static final Option<Double> CONNECTS_PER_SEC = of(
            Section.SERVER,
            "connectsPerSec",
            ScenarioKinds.number(0.001, MANY),
            DSQL.connectsPerSecond(),
            "How many connects are admitted each second in the long run.");
    static final Option<Integer> BURST = of(
            Section.SERVER,
            "burst",
            OptionKind.count(1, MANY),
            Math.toIntExact(DSQL.connectBurst()),
            "How many connects are admitted at once after a rest.");
    static final Option<Integer> CAP = of(
            Section.SERVER,
            "cap",
            OptionKind.count(1, MANY),
            DSQL.mostSessions(),
            "How many sessions may be open; also the limit of the leases.");
    static final Option<Duration> LIFETIME =
            of(Section.SERVER, "lifetime", LENGTH, DSQL.lifetime(), "How long a session may last.");
    static final Option<Duration> TRANSACTION_GRACE = of(
            Section.SERVER,
            "transactionGrace",
            TIME,
            DSQL.transactionGrace(),
            "How much longer it may last if it is in a transaction then.");
    static final Option<Boolean> REFUSED_CONNECT_SPENDS = of(
            Section.SERVER,
            "refusedConnectSpends",
            ScenarioKinds.FLAG,
            DSQL.refusedConnectSpends(),
            "Whether a refused connect counts against the rate.");
    static final Option<Latency> CONNECT_LATENCY = of(
            Section.SERVER,
            "connectLatency",
            ScenarioKinds.LATENCY,
            Scenario.Server.DSQL.connectLatency(),
            "How long a connect takes, half of it before the cluster sees it.");
    static final Option<Latency> STATEMENT_LATENCY = of(
            Section.SERVER,
            "statementLatency",
            ScenarioKinds.LATENCY,
            Scenario.Server.DSQL.statementLatency(),
            "How long a check of a connection takes, and half of it a close.");

    // ---- the table behind the limits

    static final Option<String> STORE =
            open(Section.TOP, "store", ScenarioKinds.MAPPING, "as below", "The table behind the shared limits.");
    static final Option<Latency> STORE_LATENCY = of(
            Section.STORE,
            "latency",
            ScenarioKinds.LATENCY,
            Scenario.Store.DEFAULT.latency(),
            "How long a call takes.");
    static final Option<String> OUTAGES =
            open(Section.STORE, "outages", ScenarioKinds.LIST, "none", "When it answers nobody.");
    static final Option<Duration> OUTAGE_AT =
            required(Section.OUTAGE, "at", TIME, Duration.ofSeconds(1), "When that begins.");
    static final Option<Duration> OUTAGE_FOR =
            required(Section.OUTAGE, "for", LENGTH, Duration.ofSeconds(1), "How long it lasts.");

    // ---- what befalls the fleet

    static final Option<String> SCENARIO =
            open(Section.TOP, "scenario", ScenarioKinds.MAPPING, "as below", "What happens, in one word.");
    static final Option<Kind> KIND = of(
            Section.SCENARIO,
            "kind",
            ScenarioKinds.choice(Kind.class),
            Kind.COLD_START,
            "All start with nothing; and then each is restarted in turn, or many connections drop at once.");
    static final Option<Duration> ROLL_EVERY = of(
            Section.SCENARIO,
            "rollEvery",
            LENGTH,
            Duration.ofSeconds(60),
            "With `rolling_restart`: how long after the one before a process is shut down.");
    static final Option<Duration> DOWNTIME = of(
            Section.SCENARIO,
            "downtime",
            TIME,
            Duration.ofSeconds(5),
            "With `rolling_restart`: how long a process is gone.");
    static final Option<Duration> DROP_AT =
            of(Section.SCENARIO, "dropAt", TIME, Duration.ofMinutes(5), "With `mass_drop`: when connections drop.");
    static final Option<Double> DROP_FRACTION =
            of(Section.SCENARIO, "dropFraction", ScenarioKinds.FRACTION, 0.3, "With `mass_drop`: how many of them.");
    static final Option<String> FAULTS =
            open(Section.TOP, "faults", ScenarioKinds.LIST, "none", "Faults of the cluster.");
    static final Option<Duration> FAULT_AT = required(Section.FAULT, "at", TIME, Duration.ofSeconds(1), "When.");
    static final Option<Fault> FAULT = required(
            Section.FAULT,
            "fault",
            ScenarioKinds.FAULT,
            new Fault.Clear(),
            "What, in the words of the local DSQL: `drop 50%`, `freeze 5s`, `refuse connects 5s`, `waking up 10s`, "
                    + "`delay statements exp 20ms for 1m`, `clear`.");
    static final Option<String> CRASHES =
            open(Section.TOP, "crashes", ScenarioKinds.LIST, "none", "Processes that end without a word.");
    static final Option<Duration> CRASH_AT = required(Section.CRASH, "at", TIME, Duration.ofSeconds(1), "When.");
    static final Option<String> CRASH_SERVICE = required(Section.CRASH, "service", NAME, "?", "Whose.");
    static final Option<Integer> CRASH_INSTANCES =
            of(Section.CRASH, "instances", OptionKind.count(1, MANY), 1, "How many of them, the first ones.");
    static final Option<Optional<Duration>> RESTART_AFTER = of(
            Section.CRASH,
            "restartAfter",
            ScenarioKinds.orOff(TIME),
            Optional.empty(),
            "After how long they start again; off for never.");

    // ---- the services

    static final Option<String> SERVICES = required(Section.TOP, "services", ScenarioKinds.LIST, "", "The services.");
    static final Option<String> SERVICE_NAME = required(Section.SERVICE, "name", NAME, "?", "What it is called.");
    static final Option<Integer> COUNT =
            of(Section.SERVICE, "count", OptionKind.count(1, 10_000), 1, "How many processes.");
    static final Option<ForebayConfig.Mode> SERVICE_MODE = open(
            Section.SERVICE,
            "mode",
            ScenarioKinds.choice(ForebayConfig.Mode.class),
            "as for all",
            "How connections are supplied.");
    static final Option<Integer> TARGET_READY = of(
            Section.SERVICE,
            "targetReady",
            OptionKind.count(1, 100_000),
            50,
            "How many connections each process keeps; in other modes than reservoir, how many it may open.");
    static final Option<Duration> GUARD_WINDOW = of(
            Section.SERVICE,
            "guardWindow",
            TIME,
            Duration.ofSeconds(45),
            "How long before its end a connection is not handed out.");
    static final Option<Duration> BASE_LIFETIME = of(
            Section.SERVICE,
            "baseLifetime",
            LENGTH,
            Duration.ofMinutes(11),
            "How long a connection lives, in reservoir mode.");
    static final Option<Duration> JITTER =
            of(Section.SERVICE, "jitter", TIME, Duration.ofMinutes(2), "The width of the range around it.");
    static final Option<Duration> START_DELAY =
            of(Section.SERVICE, "startDelay", TIME, Duration.ZERO, "When the first process starts.");
    static final Option<Duration> START_EVERY =
            of(Section.SERVICE, "startEvery", TIME, Duration.ZERO, "How long after it the next, and so on.");
    static final Option<Duration> CLOCK_SKEW = of(
            Section.SERVICE,
            "clockSkew",
            ScenarioKinds.lasting(Duration.ZERO, Duration.ofHours(24)),
            Duration.ZERO,
            "How wrong a process's wall clock may be, either way.");
    static final Option<Boolean> SERVICE_ZERO_EMPTY = open(
            Section.SERVICE,
            "assertZeroEmptyEvents",
            ScenarioKinds.FLAG,
            "as for all",
            "Whether no checkout of this service may find nothing ready.");
    static final Option<String> SETTINGS = open(
            Section.SERVICE,
            "settings",
            ScenarioKinds.MAPPING,
            "none",
            "Any other setting of [configuration.md](configuration.md), by its property, with or without `forebay.`.");

    // ---- what uses the connections

    static final Option<String> WORKLOAD = open(
            Section.SERVICE, "workload", ScenarioKinds.MAPPING, "none", "What uses the connections of each process.");
    static final Option<Boolean> ENABLED =
            of(Section.WORKLOAD, "enabled", ScenarioKinds.FLAG, true, "Whether there is any, where this is written.");
    static final Option<Integer> MAX_IN_USE = open(
            Section.WORKLOAD,
            "maxInUse",
            OptionKind.count(1, MANY),
            "`targetReady`",
            "How much work may be under way, waiting for a connection included; more does not arrive.");
    static final Option<Duration> HOLD_TIME = of(
            Section.WORKLOAD,
            "holdTime",
            TIME,
            Duration.ofMillis(10),
            "How long a piece of work holds its connection.");
    static final Option<Duration> HOLD_JITTER =
            of(Section.WORKLOAD, "holdJitter", TIME, Duration.ZERO, "The width of the range around it.");
    static final Option<Duration> SPAWN_EVERY =
            of(Section.WORKLOAD, "spawnEvery", LENGTH, Duration.ofMillis(200), "How often work arrives.");
    static final Option<Integer> ARRIVAL_BURST = of(
            Section.WORKLOAD,
            "arrivalBurst",
            OptionKind.count(1, 10_000),
            5,
            "How many pieces at once, when the traffic is at 1.");
    static final Option<Duration> MAX_WAIT =
            of(Section.WORKLOAD, "maxWait", TIME, Duration.ofSeconds(10), "How long one waits for a connection.");
    static final Option<Integer> LEAK_EVERY = of(
            Section.WORKLOAD,
            "leakEvery",
            OptionKind.count(0, MANY),
            0,
            "Of how many pieces one never returns its connection; 0 for none.");
    static final Option<String> TRAFFIC =
            open(Section.WORKLOAD, "traffic", ScenarioKinds.MAPPING, "steady", "How the arrivals change over time.");
    static final Option<Shape> SHAPE = of(
            Section.TRAFFIC,
            "shape",
            ScenarioKinds.choice(Shape.class),
            Shape.STEADY,
            "Always the same, a curve each day, more for a while, or as recorded.");
    static final Option<Double> LEAST =
            of(Section.TRAFFIC, "least", ScenarioKinds.number(0, 1_000), 0.1, "With `daily`: the factor at night.");
    static final Option<Double> MOST =
            of(Section.TRAFFIC, "most", ScenarioKinds.number(0, 1_000), 1.0, "With `daily`: the factor at noon.");
    static final Option<Duration> PERIOD =
            of(Section.TRAFFIC, "period", LENGTH, Duration.ofHours(24), "With `daily`: the length of a day.");
    static final Option<Duration> SPIKE_AT =
            required(Section.TRAFFIC, "at", TIME, Duration.ofSeconds(1), "With `spike`: when it begins.");
    static final Option<Duration> SPIKE_FOR =
            required(Section.TRAFFIC, "for", LENGTH, Duration.ofSeconds(1), "With `spike`: how long it lasts.");
    static final Option<Double> FACTOR =
            required(Section.TRAFFIC, "factor", ScenarioKinds.number(0, 1_000), 1.0, "With `spike`: the factor.");
    static final Option<String> FILE = required(
            Section.TRAFFIC,
            "file",
            ScenarioKinds.line("file", "the name of a file", PRINTABLE + "{1,1000}"),
            "?",
            "With `replay`: a CSV with `seconds,factor` in each line, found from the scenario's own place.");

    /** The keys, in the order of the reference page. */
    static final List<Option<?>> ALL = List.copyOf(DECLARED);

    private ScenarioKeys() {}

    private static <T> Option<T> of(Section section, String name, OptionKind<T> kind, T value, String purpose) {
        return declare(section, name, kind, value, "`" + kind.format().apply(value) + "`", purpose);
    }

    /** A key whose default follows from something else, in the words of {@code otherwise}. */
    private static <T> Option<T> open(
            Section section, String name, OptionKind<T> kind, String otherwise, String purpose) {
        return declare(section, name, kind, null, otherwise, purpose);
    }

    /** A key that has to be written; without it reading goes on with {@code standIn}, to find more that is wrong. */
    private static <T> Option<T> required(Section section, String name, OptionKind<T> kind, T standIn, String purpose) {
        return declare(section, name, kind, standIn, REQUIRED, purpose);
    }

    static boolean isRequired(Option<?> key) {
        return key.defaultText().equals(REQUIRED);
    }

    private static <T> Option<Optional<T>> assertion(
            String name, OptionKind<T> kind, @Nullable T value, String purpose) {
        return of(Section.TOP, name, ScenarioKinds.orOff(kind), Optional.ofNullable(value), purpose);
    }

    private static <T> Option<T> declare(
            Section section, String name, OptionKind<T> kind, @Nullable T value, String defaultText, String purpose) {
        Option<T> key = new Option<>(section.title(), name, "", kind, value, defaultText, purpose);
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

        List<Option<?>> keys() {
            return ALL.stream().filter(key -> key.heading().equals(title)).toList();
        }
    }

    /** The kinds of incidents of a scenario. */
    enum Kind {
        COLD_START,
        ROLLING_RESTART,
        MASS_DROP
    }

    /** The owner of the limit on connects. */
    enum Limiter {
        SHARED,
        LOCAL
    }

    /** The change of arrivals over time. */
    enum Shape {
        STEADY,
        DAILY,
        SPIKE,
        REPLAY
    }
}
