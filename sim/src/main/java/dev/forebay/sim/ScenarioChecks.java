// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.internal.GoDuration;
import dev.forebay.engine.internal.NearestName;
import dev.forebay.engine.internal.Option;
import dev.forebay.sim.ScenarioKeys.Section;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Looks for values of a scenario that make no sense together. Not thread-safe. */
final class ScenarioChecks {

    private static final long MOST_SAMPLES = 10_000_000;
    private static final long MOST_WORK = 1_000_000_000;
    private static final int MOST_PROCESSES = 10_000;
    private static final int MOST_CONNECTIONS = 1_000_000;

    /** The names in reports beside those of services. */
    private static final Set<String> TAKEN = Set.of("cluster", "store", "fleet");

    private final YamlBlock top;
    private final Scenario scenario;

    ScenarioChecks(YamlBlock top, Scenario scenario) {
        this.top = top;
        this.scenario = scenario;
    }

    void run() {
        times();
        sizes();
        if (scenario.asserts().leasesCover() && !scenario.limits().leases()) {
            top.refuse(ScenarioKeys.LEASES_COVER, "there are no leases; valid is false, or leases: true");
        }
        List<YamlBlock> blocks = top.blocks(ScenarioKeys.SERVICES, Section.SERVICE);
        if (blocks.isEmpty()) {
            top.refuse(ScenarioKeys.SERVICES, "there is none; valid is at least one");
        }
        Map<String, Scenario.Service> byName = new HashMap<>();
        for (int i = 0; i < blocks.size(); i++) {
            Scenario.Service service = scenario.services().get(i);
            YamlBlock block = blocks.get(i);
            name(block, service, byName);
            starts(block, service);
            if (lifetimes(block, service)) {
                settings(block, service);
            }
            if (service.workload() != null) {
                workload(block.block(ScenarioKeys.WORKLOAD, Section.WORKLOAD), service.count(), service.workload());
            }
        }
        top.blocks(ScenarioKeys.CRASHES, Section.CRASH).forEach(crash -> crash(crash, byName));
    }

    private void name(YamlBlock block, Scenario.Service service, Map<String, Scenario.Service> byName) {
        String quoted = YamlBlock.quoted(service.name());
        boolean isProcess = scenario.services().stream()
                .filter(other -> other.count() > 1)
                .anyMatch(other -> isProcessOf(other, service.name()));
        if (TAKEN.contains(service.name()) || isProcess) {
            block.refuse(
                    ScenarioKeys.SERVICE_NAME,
                    (isProcess ? "a process of another service is called " : "reports call something else ") + quoted
                            + "; valid is another name");
        }
        if (byName.putIfAbsent(service.name(), service) != null) {
            block.refuse(
                    ScenarioKeys.SERVICE_NAME,
                    "there is another service " + quoted + "; valid is a name of its own, or a count in one of them");
        }
    }

    private static boolean isProcessOf(Scenario.Service service, String name) {
        return IntStream.rangeClosed(1, service.count()).anyMatch(copy -> name.equals(service.name() + "-" + copy));
    }

    private void times() {
        if (scenario.sampleEvery().compareTo(scenario.duration()) > 0) {
            top.refuse(
                    ScenarioKeys.SAMPLE_EVERY,
                    GoDuration.brief(scenario.sampleEvery()) + " is longer than the duration; valid is at most "
                            + GoDuration.brief(scenario.duration()));
        }
        YamlBlock what = top.block(ScenarioKeys.SCENARIO, Section.SCENARIO);
        switch (what.get(ScenarioKeys.KIND)) {
            case COLD_START -> {}
            case ROLLING_RESTART -> beforeTheEnd(what, ScenarioKeys.ROLL_EVERY);
            case MASS_DROP -> beforeTheEnd(what, ScenarioKeys.DROP_AT);
        }
        top.blocks(ScenarioKeys.FAULTS, Section.FAULT).forEach(fault -> beforeTheEnd(fault, ScenarioKeys.FAULT_AT));
        top.block(ScenarioKeys.STORE, Section.STORE)
                .blocks(ScenarioKeys.OUTAGES, Section.OUTAGE)
                .forEach(outage -> beforeTheEnd(outage, ScenarioKeys.OUTAGE_AT));
    }

    private void beforeTheEnd(YamlBlock block, Option<Duration> key) {
        beforeTheEnd(block, key, block.get(key), "");
    }

    private void beforeTheEnd(YamlBlock block, Option<?> key, Duration at, String what) {
        if (at.compareTo(scenario.duration()) >= 0) {
            block.refuse(
                    key,
                    GoDuration.brief(at) + what + " is not before the end; valid is less than the duration, "
                            + GoDuration.brief(scenario.duration()));
        }
    }

    private void sizes() {
        long processes = 0;
        long connections = 0;
        for (Scenario.Service service : scenario.services()) {
            processes += service.count();
            connections += (long) service.count() * service.targetReady();
        }
        if (processes > MOST_PROCESSES) {
            top.refuse(
                    ScenarioKeys.SERVICES,
                    processes + " processes are too many; valid are up to " + MOST_PROCESSES + " in all");
        }
        if (connections > MOST_CONNECTIONS) {
            top.refuse(
                    ScenarioKeys.SERVICES,
                    connections + " connections are too many; valid are up to " + MOST_CONNECTIONS + " in all");
        }
        long samples = times(scenario.duration(), scenario.sampleEvery()) * processes;
        if (samples > MOST_SAMPLES) {
            top.refuse(
                    ScenarioKeys.SAMPLE_EVERY,
                    GoDuration.brief(scenario.sampleEvery()) + " makes " + samples + " samples; valid are up to "
                            + MOST_SAMPLES);
        }
    }

    private static long times(Duration whole, Duration part) {
        return whole.toNanos() / part.toNanos();
    }

    /** Whether they can be lived. */
    private static boolean lifetimes(YamlBlock block, Scenario.Service service) {
        if (service.jitter().compareTo(service.baseLifetime().multipliedBy(2)) > 0) {
            block.refuse(
                    ScenarioKeys.JITTER,
                    GoDuration.brief(service.jitter()) + " is more than twice the lifetime; valid is at most "
                            + GoDuration.brief(service.baseLifetime().multipliedBy(2)));
            return false;
        }
        Duration shortest = service.baseLifetime().minus(service.jitter().dividedBy(2));
        if (service.guardWindow().compareTo(shortest) >= 0) {
            Option<?> key = block.has(ScenarioKeys.GUARD_WINDOW)
                    ? ScenarioKeys.GUARD_WINDOW
                    : block.has(ScenarioKeys.BASE_LIFETIME) ? ScenarioKeys.BASE_LIFETIME : ScenarioKeys.JITTER;
            block.refuse(
                    key,
                    "the guard window, " + GoDuration.brief(service.guardWindow())
                            + ", is not shorter than the shortest lifetime, " + GoDuration.brief(shortest)
                            + ", so that some connections could never be handed out; valid is a guardWindow below"
                            + " baseLifetime less half of jitter");
            return false;
        }
        return true;
    }

    private void starts(YamlBlock block, Scenario.Service service) {
        Duration last = service.startDelay().plus(service.startEvery().multipliedBy(service.count() - 1L));
        Option<?> key = block.has(ScenarioKeys.START_EVERY) ? ScenarioKeys.START_EVERY : ScenarioKeys.START_DELAY;
        beforeTheEnd(block, key, last, ", when the last process would start,");
    }

    /** Checks the services by making the settings that the processes will have. */
    private void settings(YamlBlock block, Scenario.Service service) {
        Set<String> properties = new HashSet<>();
        boolean known = true;
        for (String name : block.texts(ScenarioKeys.SETTINGS).keySet()) {
            String problem = problem(name, properties);
            if (problem != null) {
                block.refuse(ScenarioKeys.SETTINGS, name, problem);
                known = false;
            }
        }
        if (!known) {
            return;
        }
        try {
            ServiceConfig.of(scenario, service, service.name()).toPoolConfig();
            ServiceConfig.fleet(scenario, service);
        } catch (IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            String culprit = block.texts(ScenarioKeys.SETTINGS).keySet().stream()
                    .filter(name -> message.contains(ServiceConfig.property(name) + "="))
                    .findFirst()
                    .orElse("");
            block.refuse(ScenarioKeys.SETTINGS, culprit, message);
        }
    }

    /** Returns the problem of a setting's name, given the properties that were set before it; null if nothing is. */
    private static @Nullable String problem(String name, Set<String> before) {
        String property;
        try {
            property = ServiceConfig.property(name);
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
        if (!ServiceConfig.PROPERTIES.contains(property)) {
            String hint = NearestName.hint(property, ServiceConfig.PROPERTIES);
            return "unknown setting " + YamlBlock.quoted(name)
                    + (hint.isEmpty() ? "; there are those of docs/configuration.md" : hint);
        }
        return before.add(property) ? null : YamlBlock.quoted(name) + " is written twice";
    }

    private void workload(YamlBlock block, int processes, Scenario.Workload workload) {
        long work = times(scenario.duration(), workload.spawnEvery()) * workload.arrivalBurst() * processes;
        if (work > MOST_WORK) {
            block.refuse(
                    ScenarioKeys.SPAWN_EVERY,
                    GoDuration.brief(workload.spawnEvery()) + " makes " + work + " pieces of work; valid are up to "
                            + MOST_WORK);
        }
        if (workload.holdJitter().compareTo(workload.holdTime().multipliedBy(2)) > 0) {
            block.refuse(
                    ScenarioKeys.HOLD_JITTER,
                    GoDuration.brief(workload.holdJitter()) + " is more than twice the holdTime; valid is at most "
                            + GoDuration.brief(workload.holdTime().multipliedBy(2)));
        }
        YamlBlock traffic = block.block(ScenarioKeys.TRAFFIC, Section.TRAFFIC);
        if (workload.traffic() instanceof Traffic.Daily daily && daily.least() > daily.most()) {
            traffic.refuse(
                    ScenarioKeys.LEAST,
                    ScenarioKinds.plain(daily.least()) + " is more than most; valid is at most "
                            + ScenarioKinds.plain(daily.most()));
        } else if (workload.traffic() instanceof Traffic.Spike spike) {
            beforeTheEnd(traffic, ScenarioKeys.SPIKE_AT, spike.at(), "");
        } else if (workload.traffic() instanceof Traffic.Replay replay) {
            beforeTheEnd(traffic, ScenarioKeys.FILE, replay.steps().get(0).at(), ", the time of its first line,");
        }
    }

    private void crash(YamlBlock crash, Map<String, Scenario.Service> services) {
        beforeTheEnd(crash, ScenarioKeys.CRASH_AT);
        String name = crash.get(ScenarioKeys.CRASH_SERVICE);
        Scenario.Service service = services.get(name);
        if (service == null) {
            crash.refuse(
                    ScenarioKeys.CRASH_SERVICE,
                    "there is no service " + YamlBlock.quoted(name) + "; there are: "
                            + String.join(
                                    ", ",
                                    scenario.services().stream()
                                            .map(Scenario.Service::name)
                                            .toList())
                            + NearestName.hint(name, services.keySet()));
        } else if (crash.get(ScenarioKeys.CRASH_INSTANCES) > service.count()) {
            crash.refuse(
                    ScenarioKeys.CRASH_INSTANCES,
                    crash.get(ScenarioKeys.CRASH_INSTANCES) + " are more than there are; valid is at most the count of "
                            + name + ", " + service.count());
        }
    }
}
