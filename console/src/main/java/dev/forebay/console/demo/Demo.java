// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.demo;

import dev.forebay.console.web.Event;
import dev.forebay.console.web.Happenings;
import dev.forebay.console.web.Source;
import dev.forebay.local.LocalDsql;
import dev.forebay.micrometer.MicrometerMetrics;
import dev.forebay.model.CommitFault;
import dev.forebay.model.Fault;
import dev.forebay.tx.TxListener;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The demonstration: a script that happens to Forebay and to HikariCP alike, live figures, and a verdict. For one thread; close it
 * to end all that it has started.
 */
public final class Demo implements AutoCloseable {

    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration SHOW = Duration.ofSeconds(1);
    private static final Duration FILL_PATIENCE = Duration.ofSeconds(30);
    private static final Duration WARM_UP = Duration.ofSeconds(3);
    private static final Duration LAST_WORK = Duration.ofSeconds(20);
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Plan plan;
    private final MeterRegistry metrics;
    private final PrintWriter out;
    private final Board board;
    private final Runnable check;
    private final List<LocalDsql> clusters = new ArrayList<>();
    private final List<Contender> contenders = new CopyOnWriteArrayList<>(); // the page looks at them, too
    private final Hiccups hiccups = new Hiccups();
    private final Happenings happenings = new Happenings(InstantSource.system());

    /**
     * A demonstration that has not started yet.
     *
     * @param live the output of the live figures
     * @param isTerminal whether they may be redrawn there
     * @param check called all the time; throws when it is time to stop
     */
    public Demo(
            Plan plan, MeterRegistry metrics, PrintWriter out, PrintWriter live, boolean isTerminal, Runnable check) {
        this.plan = plan;
        this.metrics = metrics;
        this.out = out;
        this.board = new Board(live, isTerminal);
        this.check = check;
    }

    private volatile @Nullable Verdict reached;

    /** Returns whether services have started. */
    public boolean isReady() {
        return !contenders.isEmpty();
    }

    /** Its events, for a page. */
    public Happenings happenings() {
        return happenings;
    }

    /** Its source for a page. */
    public Source source() {
        return new DemoSource(plan, contenders, () -> reached);
    }

    private record Step(Duration at, String words, Runnable action) {}

    /** Plays the script to its end, unless a promise is broken before, and prints the verdict; true if all were kept. */
    public boolean play() throws IOException, SQLException, InterruptedException {
        Verdict verdict = verdict();
        reached = verdict; // the page shows it, too
        board.clear();
        say();
        verdict.print(out);
        for (Contender one : contenders) {
            if (!one.tally.firstTrouble().isEmpty()) {
                say("%s's first trouble: %s", one.name(), one.tally.firstTrouble());
            }
        }
        say(verdict.kept() ? "Forebay kept every promise." : "Forebay broke a promise.");
        return verdict.kept();
    }

    /** Goes on with the load after the verdict, until {@code check} throws. */
    public void goOn() throws InterruptedException {
        contenders.forEach(one -> one.begin(List.of()));
        long began = System.nanoTime();
        while (true) {
            check.run();
            board.show(since(began), figures());
            for (int i = 0; i < SHOW.dividedBy(LOOK); i++) {
                check.run();
                Thread.sleep(LOOK.toMillis());
            }
        }
    }

    private Verdict verdict() throws IOException, SQLException, InterruptedException {
        introduce();
        LocalDsql ours = cluster();
        LocalDsql theirs = cluster();
        try {
            contenders.add(contender(ours, new ForebayPools(plan, ours, metrics, happenings)));
        } catch (SQLException e) {
            check.run();
            say("The services could not connect: " + e.getMessage());
            return Verdict.notStarted();
        }
        check.run();
        Contender forebay = contenders.get(0);
        if (forebay.refused() > 0) {
            say(
                    "The services take %d connects/s, but the cluster %d: it refused %d. That is enough to know.",
                    plan.permitsPerSecond(), plan.connectsPerSecond(), forebay.refused());
            return Verdict.ofStart(forebay.seen());
        }
        contenders.add(contender(theirs, new HikariPools(plan, theirs, metrics)));
        Contender other = contenders.get(1);
        awaitFull(other);
        contenders.forEach(Contender::limit);
        forebay.begin(List.of(TxListener.observed(new MicrometerMetrics(metrics))));
        other.begin(List.of());
        warmUp();
        act();
        for (Contender one : contenders) {
            one.load().end(LAST_WORK);
        }
        return Verdict.of(plan, forebay.seen(), other.seen());
    }

    private Contender contender(LocalDsql cluster, Pools pools) {
        return new Contender(plan, cluster, pools, hiccups, happenings);
    }

    private LocalDsql cluster() throws IOException, SQLException {
        LocalDsql cluster = LocalDsql.builder().settings(plan.clusterAtFirst()).start();
        clusters.add(cluster);
        check.run();
        Load.prepare(cluster.dataSource("admin"));
        return cluster;
    }

    private void introduce() {
        say(plan.inWords());
        say(
                "Two of them run here, one for Forebay, one for HikariCP, each with %d services of %d connections. The load uses %d of all %d.",
                Plan.SERVICES, plan.poolSize(), Plan.SERVICES * plan.inUse(), plan.connections());
        say(
                "Not in proportion: all connections are opened together, without a limit, and last %d s instead of %d: so all expire at once.",
                plan.lifetime().toSeconds(), plan.lifetimeInProportion().toSeconds());
        say(
                "The reservoirs take %d connects/s. HikariCP is set as its documents advise: a fixed size, maxLifetime %d s, of which it spreads a quarter.",
                plan.permitsPerSecond(), HikariPools.lifetime(plan).toSeconds());
        if (HikariPools.livesTooLong(plan)) {
            say(
                    "It takes no lifetime under 30 s, so in this short form the cluster ends its connections; it can do better in 120 s.");
        }
        say();
    }

    /** Waits until the other one, which fills in the background, is full or has had long enough. */
    private void awaitFull(Contender other) throws InterruptedException {
        long deadline = System.nanoTime() + FILL_PATIENCE.toNanos();
        while (other.level() < plan.connections() && System.nanoTime() < deadline) {
            check.run();
            Thread.sleep(LOOK.toMillis());
        }
    }

    /** Lets the load run for a moment: what a cold process is slow at is no fault of a pool. */
    private void warmUp() throws InterruptedException {
        long end = System.nanoTime() + WARM_UP.toNanos();
        while (System.nanoTime() < end) {
            check.run();
            Thread.sleep(LOOK.toMillis());
        }
        contenders.forEach(one -> one.tally.forgetWaits());
    }

    // ---- the script

    private void act() throws InterruptedException {
        Deque<Step> steps = script();
        long began = System.nanoTime();
        Duration shown = Duration.ZERO;
        for (Duration at = Duration.ZERO; at.compareTo(plan.end()) < 0; at = since(began)) {
            check.run();
            Step next = steps.peek();
            if (next != null && at.compareTo(next.at) >= 0) {
                steps.remove();
                board.step(at, next.words);
                happenings.add("all pools", Event.STEP, next.words);
                next.action.run();
            }
            for (Contender one : contenders) {
                one.look(at);
            }
            if (at.compareTo(shown.plus(SHOW)) >= 0) {
                shown = at;
                board.show(at, figures());
            }
            Thread.sleep(LOOK.toMillis());
        }
    }

    private Deque<Step> script() {
        Deque<Step> steps = new ArrayDeque<>();
        steps.add(new Step(
                Duration.ZERO,
                "the load begins; all connections expire within "
                        + plan.lifetime().toSeconds() + " s",
                () -> {}));
        steps.add(new Step(
                plan.dropAt(),
                "half of the connections are dropped",
                () -> contenders.forEach(one -> one.drop(plan.dropAt()))));
        steps.add(new Step(plan.conflictsFrom(), "a burst of conflicts: all work on a few rows", this::conflict));
        steps.add(new Step(
                plan.conflictsUntil(),
                "calm again",
                () -> contenders.forEach(one -> one.load().hot(false))));
        return steps;
    }

    private void conflict() {
        for (Contender one : contenders) {
            one.load().hot(true);
            one.cluster().inject(new Fault.FailCommits(Plan.CONFLICT_FAULTS, CommitFault.OC000));
        }
    }

    private List<Figures> figures() {
        return contenders.stream().map(Contender::figures).toList();
    }

    private static Duration since(long began) {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private void say() {
        out.println();
        out.flush();
    }

    private void say(String format, Object... values) {
        out.println(values.length == 0 ? format : String.format(Locale.ROOT, format, values));
        out.flush();
    }

    /**
     * Ends all at once. After Ctrl-C the databases are gone already, since a terminal tells all processes, and a pool may then wait
     * in vain: so the pools have a moment, and those that need longer are not waited for.
     */
    @Override
    public void close() throws IOException {
        boolean told = Thread.interrupted(); // it was to bring us here, and must not end the wait
        contenders.forEach(one -> one.load().stop());
        List<AutoCloseable> pools = new ArrayList<>();
        contenders.forEach(one -> pools.addAll(one.pools().closing()));
        AllAtOnce.close(pools, PATIENCE);
        AllAtOnce.close(clusters, LAST_WORK);
        hiccups.close();
        if (told) {
            Thread.currentThread().interrupt();
        }
    }
}
