// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.Admission;
import dev.forebay.model.ConnectRefusal;
import dev.forebay.time.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Runs a scenario: the pools, leases and limiters of production, in virtual time, before the model of a cluster. The same
 * scenario and seed give the same result, to the last digit. Not thread-safe; several may run at once.
 */
public final class Simulation {

    private static final long CLUSTER_DICE = -1;

    private final Scenario scenario;
    private final VirtualTime time = new VirtualTime();
    private final Journal journal = new Journal(time);
    private final Judge judge;
    private final World world;
    private final List<Instance> instances = new ArrayList<>();

    private Simulation(Scenario scenario, UnaryOperator<Admission> tampering) {
        this.scenario = scenario;
        this.judge = new Judge(scenario, time, journal);
        SimCluster cluster =
                new SimCluster(scenario.server(), time, Dice.of(scenario.seed(), CLUSTER_DICE), judge, journal);
        SimTable table = new SimTable(scenario, time);
        judge.leases(table::leased);
        this.world = new World(scenario, time, cluster, table, judge, journal, tampering);
    }

    /**
     * Runs {@code scenario} to its end.
     *
     * @param samples takes what is read of each process, in the order of time
     * @param progress told the virtual time with each sample, in nanoseconds; may throw to stop the run
     */
    public static Result run(Scenario scenario, Consumer<Sample> samples, LongConsumer progress) {
        return run(scenario, samples, progress, UnaryOperator.identity());
    }

    static Result run(
            Scenario scenario, Consumer<Sample> samples, LongConsumer progress, UnaryOperator<Admission> tampering) {
        return new Simulation(scenario, tampering).run(samples, progress);
    }

    private Result run(Consumer<Sample> samples, LongConsumer progress) {
        scenario.services().forEach(this::plan);
        planOutages();
        scenario.incidents().forEach(this::plan);
        Recorder recorder = new Recorder(world, instances);
        long end = scenario.duration().toNanos();
        long every = scenario.sampleEvery().toNanos();
        for (long at = 0; ; at = Math.min(end, at + every)) {
            time.advanceTo(at);
            if (at == end) {
                instances.forEach(Instance::over);
            }
            for (Instance instance : instances) {
                samples.accept(instance.sample(at));
            }
            recorder.sample(at);
            progress.accept(at);
            if (at == end) {
                break;
            }
        }
        return new Result(
                scenario, totals(), services(), recorder.bucket(), recorder.charts(), journal.all(), judge.verdicts());
    }

    // ---- what is to happen

    private void plan(Scenario.Service service) {
        for (int copy = 0; copy < service.count(); copy++) {
            String name = service.count() == 1 ? service.name() : service.name() + "-" + (copy + 1);
            Instance instance = new Instance(world, instances.size(), name, service);
            instances.add(instance);
            judge.levels().add(instance);
            long at =
                    service.startDelay().toNanos() + copy * service.startEvery().toNanos();
            time.schedule(at, instance::start);
        }
    }

    private void planOutages() {
        long patience = 2
                * scenario.services().stream()
                        .map(service -> ServiceConfig.fleet(scenario, service))
                        .mapToLong(fleet -> fleet.leaseTtl().toNanos())
                        .max()
                        .orElse(0);
        for (Scenario.Outage outage : scenario.store().outages()) {
            time.schedule(outage.at().toNanos(), () -> {
                journal.incident("store", "out of reach");
                world.table().outage(true);
                judge.storeOut();
            });
            time.schedule(outage.at().plus(outage.length()).toNanos(), () -> {
                journal.incident("store", "in reach again");
                world.table().outage(false);
                judge.storeBack(patience);
            });
        }
    }

    private void plan(Scenario.Incident incident) {
        if (incident instanceof Scenario.ClusterFault fault) {
            time.schedule(fault.at().toNanos(), () -> world.cluster().inject(fault.fault()));
        } else if (incident instanceof Scenario.Crash crash) {
            instancesOf(crash.service()).limit(crash.instances()).forEach(instance -> plan(crash, instance));
        } else if (incident instanceof Scenario.Roll roll) {
            for (int turn = 0; turn < instances.size(); turn++) {
                Instance instance = instances.get(turn);
                long at = (turn + 1) * roll.every().toNanos();
                time.schedule(at, () -> instance.restart(roll.downtime().toNanos()));
            }
        }
    }

    private void plan(Scenario.Crash crash, Instance instance) {
        long at = crash.at().toNanos();
        time.schedule(at, instance::crash);
        if (crash.restartAfter() != null) {
            time.schedule(at + crash.restartAfter().toNanos(), instance::start);
        }
    }

    private Stream<Instance> instancesOf(String service) {
        return instances.stream().filter(instance -> instance.service().name().equals(service));
    }

    // ---- what came of it

    private Result.Totals totals() {
        long converged = 0;
        for (Instance instance : instances) {
            if (instance.level().target() > 0 && converged >= 0) {
                long reached = instance.level().firstReached();
                converged = reached < 0 ? -1 : Math.max(converged, reached);
            }
        }
        return new Result.Totals(
                judge.admitted(),
                judge.refused(ConnectRefusal.RATE),
                judge.refused(ConnectRefusal.COUNT),
                judge.refused(ConnectRefusal.WAKING) + judge.refused(ConnectRefusal.FAULT),
                judge.attempts().most(),
                judge.attempts().mostSliding(),
                judge.mostOpen(),
                judge.closures().most(),
                converged,
                world.table().requests(),
                judge.waits().waits(),
                time.eventsRun());
    }

    private List<Result.ServiceTotals> services() {
        return scenario.services().stream().map(this::totals).toList();
    }

    private Result.ServiceTotals totals(Scenario.Service service) {
        List<Instance> its = instancesOf(service.name()).toList();
        Histogram waits = new Histogram();
        its.forEach(instance -> waits.addAll(instance.work.waits));
        return new Result.ServiceTotals(
                service.name(),
                service.count(),
                service.count() * service.targetReady(),
                judge.levels().lowest(service),
                its.stream().mapToLong(instance -> instance.work.checkouts).sum(),
                its.stream().mapToLong(Instance::empties).sum(),
                its.stream().mapToLong(instance -> instance.work.refused).sum(),
                its.stream().mapToLong(Instance::opened).sum(),
                its.stream().mapToLong(Instance::openFailures).sum(),
                its.stream().mapToLong(instance -> instance.discards().total()).sum(),
                its.stream().mapToLong(instance -> instance.work.started).sum(),
                its.stream().mapToLong(instance -> instance.work.completed).sum(),
                its.stream().mapToLong(instance -> instance.work.failed).sum(),
                waits.waits());
    }
}
