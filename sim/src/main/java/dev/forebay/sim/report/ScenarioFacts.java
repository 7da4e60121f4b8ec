// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import dev.forebay.sim.Scenario;
import dev.forebay.sim.Traffic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The facts of a scenario, by the keys of its file. */
final class ScenarioFacts {

    private ScenarioFacts() {}

    /** Everything but the services. */
    static Map<String, String> of(Scenario scenario) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("seed", Long.toString(scenario.seed()));
        facts.put("endpoint", scenario.endpoint());
        facts.put("duration", Wording.length(scenario.duration()));
        facts.put("sampleEvery", Wording.length(scenario.sampleEvery()));
        facts.put("mode", Wording.modes(scenario));
        Scenario.Limits limits = scenario.limits();
        facts.put("limiterPerSec", Integer.toString(limits.perSecond()));
        facts.put("limiterBurst", Integer.toString(limits.burst()));
        facts.put("limiter", limits.rateShared() ? "shared" : "local");
        facts.put("leases", Boolean.toString(limits.leases()));
        Scenario.Server server = scenario.server();
        facts.put("server.connectsPerSec", Wording.value(server.settings().connectsPerSecond()));
        facts.put("server.burst", Wording.count(server.settings().connectBurst()));
        facts.put("server.cap", Wording.count(server.settings().mostSessions()));
        facts.put("server.lifetime", Wording.length(server.settings().lifetime()));
        facts.put("server.transactionGrace", Wording.length(server.settings().transactionGrace()));
        facts.put(
                "server.refusedConnectSpends",
                Boolean.toString(server.settings().refusedConnectSpends()));
        facts.put("server.connectLatency", server.connectLatency().text());
        facts.put("server.statementLatency", server.statementLatency().text());
        facts.put("store.latency", scenario.store().latency().text());
        for (Scenario.Outage outage : scenario.store().outages()) {
            add(facts, "store.outages", Wording.length(outage.at()) + " for " + Wording.length(outage.length()));
        }
        asserts(facts, scenario.asserts());
        for (Scenario.Incident incident : scenario.incidents()) {
            add(facts, "incidents", text(incident));
        }
        return facts;
    }

    private static void asserts(Map<String, String> facts, Scenario.Asserts asserts) {
        putIf(facts, "assertMaxConnectsPerSec", asserts.maxConnectsPerSec());
        putIf(facts, "assertConvergeWithin", asserts.convergeWithin());
        putIf(facts, "assertStableFor", asserts.stableFor());
        putIf(facts, "assertMinFill", asserts.minFill());
        putIf(facts, "assertMaxClosurePerSec", asserts.maxClosurePerSec());
        facts.put("assertZeroEmptyEvents", Boolean.toString(asserts.zeroEmptyEvents()));
        putIf(facts, "assertMaxWaitP99", asserts.maxWaitP99());
        putIf(facts, "assertMaxOpen", asserts.maxOpen());
        facts.put("assertLeasesCover", Boolean.toString(asserts.leasesCover()));
    }

    private static void putIf(Map<String, String> facts, String key, @Nullable Object value) {
        if (value instanceof Duration length) {
            facts.put(key, Wording.length(length));
        } else if (value instanceof Double number) {
            facts.put(key, Wording.decimal(number, 6));
        } else {
            facts.put(key, value == null ? "off" : value.toString());
        }
    }

    private static void add(Map<String, String> facts, String key, String value) {
        facts.merge(key, value, (before, more) -> before + ", " + more);
    }

    private static String text(Scenario.Incident incident) {
        if (incident instanceof Scenario.ClusterFault fault) {
            return Wording.length(fault.at()) + " " + fault.fault().text();
        }
        if (incident instanceof Scenario.Crash crash) {
            Duration restart = crash.restartAfter();
            return Wording.length(crash.at()) + " crash of " + crash.instances() + " of " + crash.service()
                    + (restart == null ? "" : ", back after " + Wording.length(restart));
        }
        if (incident instanceof Scenario.Roll roll) {
            return "a restart every " + Wording.length(roll.every()) + ", gone for " + Wording.length(roll.downtime());
        }
        throw new AssertionError("bug: no words for " + incident);
    }

    /** The names of what {@link #service} says. */
    static List<String> serviceColumns() {
        return List.of(
                "service",
                "count",
                "mode",
                "targetReady",
                "guardWindow",
                "baseLifetime",
                "jitter",
                "start",
                "workload",
                "other");
    }

    /** The facts of a service. */
    static List<String> service(Scenario.Service service) {
        List<String> values = new ArrayList<>();
        values.add(service.name());
        values.add(Integer.toString(service.count()));
        values.add(Wording.mode(service.mode()));
        values.add(Integer.toString(service.targetReady()));
        values.add(Wording.length(service.guardWindow()));
        values.add(Wording.length(service.baseLifetime()));
        values.add(Wording.length(service.jitter()));
        values.add("after " + Wording.length(service.startDelay())
                + (service.count() > 1 ? ", " + Wording.length(service.startEvery()) + " apart" : ""));
        Scenario.Workload workload = service.workload();
        values.add(workload == null ? "none" : text(workload));
        List<String> other = new ArrayList<>();
        if (!service.clockSkew().isZero()) {
            other.add("clockSkew " + Wording.length(service.clockSkew()));
        }
        if (service.zeroEmptyEvents() != null) {
            other.add("assertZeroEmptyEvents " + service.zeroEmptyEvents());
        }
        new TreeMap<>(service.settings()).forEach((key, value) -> other.add(key + " " + value));
        values.add(other.isEmpty() ? "–" : String.join(", ", other));
        return values;
    }

    private static String text(Scenario.Workload work) {
        return work.arrivalBurst() + " every " + Wording.length(work.spawnEvery()) + ", held for "
                + Wording.length(work.holdTime())
                + (work.holdJitter().isZero()
                        ? ""
                        : " ± " + Wording.length(work.holdJitter().dividedBy(2)))
                + ", at most " + work.maxInUse() + " at once, waits " + Wording.length(work.maxWait())
                + (work.leakEvery() == 0 ? "" : ", one of " + work.leakEvery() + " leaks") + text(work.traffic());
    }

    private static String text(Traffic traffic) {
        if (traffic instanceof Traffic.Daily daily) {
            return ", ×" + Wording.decimal(daily.least(), 3) + " to ×" + Wording.decimal(daily.most(), 3) + " each "
                    + Wording.length(daily.period());
        }
        if (traffic instanceof Traffic.Spike spike) {
            return ", ×" + Wording.decimal(spike.factor(), 3) + " at " + Wording.length(spike.at()) + " for "
                    + Wording.length(spike.length());
        }
        if (traffic instanceof Traffic.Replay replay) {
            return ", as recorded in " + replay.steps().size() + " steps";
        }
        return "";
    }
}
