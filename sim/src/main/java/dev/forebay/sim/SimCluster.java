// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import dev.forebay.engine.Connector;
import dev.forebay.engine.OpenFailure;
import dev.forebay.model.Cluster;
import dev.forebay.model.ClusterSession;
import dev.forebay.model.Connect;
import dev.forebay.model.ConnectRefusal;
import dev.forebay.model.Fault;
import dev.forebay.time.VirtualTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * The cluster as the fleet meets it: the model's rules at the end of a network that takes time. Everything that is judged
 * is counted here, where a connect arrives and a session ends, and not where someone meant to. Not thread-safe.
 */
final class SimCluster {

    private final Scenario.Server spec;
    private final VirtualTime time;
    private final RandomGenerator random;
    private final Judge judge;
    private final Journal journal;
    private final Cluster cluster;
    private final Map<ClusterSession, Link> links = new HashMap<>();
    private boolean armed;

    SimCluster(Scenario.Server spec, VirtualTime time, Dice random, Judge judge, Journal journal) {
        this.spec = spec;
        this.time = time;
        this.random = random;
        this.judge = judge;
        this.journal = journal;
        this.cluster = new Cluster(spec.settings(), random, time.nanos());
    }

    int open() {
        return links.size();
    }

    long statementNanos() {
        return spec.statementLatency().drawNanos(random) + cluster.faults().statementDelayNanos(time.nanos());
    }

    /** Half the time passes before the cluster sees the connect. */
    void connect(Incarnation caller, Connector.Opening<Link> opening) {
        long latency = spec.connectLatency().drawNanos(random);
        time.schedule(time.nanos() + latency / 2, () -> {
            if (!caller.isDead()) {
                arrive(caller, opening, latency - latency / 2);
            }
        });
    }

    private void arrive(Incarnation caller, Connector.Opening<Link> opening, long wayBack) {
        long now = time.nanos();
        judge.attempted(caller.instance());
        Connect answer = cluster.connect(now);
        long answerAt = now + wayBack + answer.delayNanos();
        if (answer instanceof Connect.Admitted admitted) {
            Link link = new Link(admitted.session(), caller);
            links.put(link.session, link);
            caller.links().add(link);
            judge.admitted(caller, links.size());
            arm();
            caller.schedule(answerAt, () -> opening.opened(link));
        } else if (answer instanceof Connect.Refused refused) {
            judge.refused(caller.instance(), refused.reason());
            caller.schedule(answerAt, () -> opening.failed(failure(refused.reason())));
        }
    }

    private static OpenFailure failure(ConnectRefusal reason) {
        OpenFailure.Cause cause = switch (reason) {
            case RATE -> OpenFailure.Cause.RATE_LIMIT;
            case COUNT -> OpenFailure.Cause.CONNECTION_COUNT;
            case WAKING, FAULT -> OpenFailure.Cause.CONNECT;
        };
        return new OpenFailure(cause, new Refused(reason.sqlState() + " " + reason.message()));
    }

    /** The exception a driver would throw, without a stack trace. */
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message, null, false, false);
        }
    }

    /** The process closes {@code link}; the cluster notices half a statement later. */
    void close(Link link, Runnable closed) {
        link.owner.schedule(time.nanos() + statementNanos() / 2, () -> {
            end(link);
            closed.run();
        });
    }

    /** The cluster no longer counts {@code link}. */
    private void end(Link link) {
        if (links.remove(link.session) != null) {
            link.session.ended();
            link.owner.links().remove(link);
            judge.closed(link.owner);
        }
    }

    /** The cluster, or the machine at the other end, hangs up. */
    void hangUp(Link link) {
        link.dead = true;
        end(link);
    }

    void inject(Fault fault) {
        journal.incident("cluster", fault.text());
        List<ClusterSession> dropped = cluster.inject(fault, time.nanos());
        if (fault instanceof Fault.Drop) {
            TreeSet<Integer> hit = new TreeSet<>();
            dropped.forEach(session -> hit.add(link(session).owner.instance().number()));
            judge.levels().hit(hit, dropped.size() + " connections dropped");
            dropped.forEach(session -> hangUp(link(session)));
        } else {
            judge.levels().disturbed(fault);
        }
    }

    /** Closes at the end of their time the sessions that are still open. */
    private void arm() {
        long next = cluster.nextDeadline();
        if (!armed && next != Long.MAX_VALUE) {
            armed = true;
            time.schedule(next, () -> {
                armed = false;
                List<ClusterSession> over = cluster.due(time.nanos());
                if (!over.isEmpty()) {
                    journal.note("cluster", "over", "closed " + over.size() + " connections at the end of their time");
                    over.forEach(session -> hangUp(link(session)));
                }
                arm();
            });
        }
    }

    private Link link(ClusterSession session) {
        Link link = links.get(session);
        if (link == null) {
            throw new IllegalStateException("bug: " + session + " is not known");
        }
        return link;
    }
}
