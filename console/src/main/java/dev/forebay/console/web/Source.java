// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.web;

import dev.forebay.fleet.FleetStats;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of a page: some pools, and their surroundings. Parts without a meaning for them are left empty. No part may hold
 * a secret. Thread-safe.
 */
public interface Source {

    /** Its title, for the page's head. */
    String title();

    /** A sentence or two about the whole, to stand above the figures; empty if there is nothing to say. */
    default String note() {
        return "";
    }

    /** The pools and their numbers; called once a second. */
    List<PoolNow> pools();

    /** The current holders, longest first, at most {@code most}. */
    default List<Holder> holders(int most) {
        return List.of();
    }

    /** The connects that are allowed a second, by the pools' groups. */
    default Map<String, Integer> connectLimits() {
        return Map.of();
    }

    /** The connections by the servers' own count, by the pools' groups, where that is known. */
    default Map<String, Integer> alive() {
        return Map.of();
    }

    /** The waits for connections, by the pools' groups, where they are measured. */
    default Map<String, Waits> waits() {
        return Map.of();
    }

    /** The outcomes of transactions, by the pools' groups; the counts run from the start. */
    default Map<String, Transactions> transactions() {
        return Map.of();
    }

    /** The limits that pools share with others, by the pools' names. */
    default Map<String, FleetStats> fleet() {
        return Map.of();
    }

    /** The promises and their observations, once these are known. */
    default List<Promise> verdict() {
        return List.of();
    }

    /** The troubles of the servers, in a sentence each, the worst first; empty if there are none. */
    default List<String> troubles() {
        return List.of();
    }

    /** The servers and their health. */
    default List<Server> servers() {
        return List.of();
    }

    /** The parts of {@code pool}, if it is made up of others. */
    default List<Part> parts(String pool) {
        return List.of();
    }

    /** The settings in force for {@code pool}. */
    default List<Setting> settings(String pool) {
        return List.of();
    }

    /** The actions on {@code pool} by hand. */
    default List<Action> actions(String pool) {
        return List.of();
    }

    /**
     * Performs an action, and returns when it is done, with a sentence about the outcome.
     *
     * @param action the name of one of its {@link #actions}
     * @param values a whole number for each of the action's arguments
     * @throws SQLException if it cannot be done; the message is shown
     */
    default String act(String pool, String action, Map<String, Integer> values) throws SQLException {
        throw new SQLException("there is nothing to be done by hand");
    }

    /**
     * A pool at one moment; the counts run from its start.
     *
     * @param group the group of pools it belongs in
     * @param state {@code serving}, or the reason that it is not
     * @param leased the connections that are borrowed, by the name that the page has for them
     * @param target the connections it aims at; 0 if it has no aim
     * @param most the most it may have
     * @param p99Millis the time that 99 of 100 checkouts of the last second kept to
     * @param discards connections that left it, by reason
     * @param failures opens that failed, by cause
     */
    record PoolNow(
            String name,
            String group,
            String state,
            int ready,
            int leased,
            int opening,
            int waiting,
            int target,
            int most,
            long checkouts,
            long empties,
            long timeouts,
            long opened,
            double p99Millis,
            Map<String, Long> discards,
            Map<String, Long> failures) {

        /** The state of a pool that serves. */
        public static final String SERVING = "serving";

        int open() {
            return ready + leased;
        }
    }

    /** A promise, the observations of Forebay and of the other, and whether it was kept. */
    record Promise(String promise, String forebay, String other, boolean kept) {}

    /** A holder of a connection of {@code pool}. */
    record Holder(String pool, String who, String connection, Duration held) {}

    /**
     * The waits for connections since the start.
     *
     * @param stalls checkouts that took too long
     * @param longestMillis the longest checkout
     * @param refused connects that the server refused because they came too fast
     */
    record Waits(long stalls, long longestMillis, long refused) {}

    /** The outcomes of transactions. */
    record Transactions(long committed, long conflicts, long givenUp, long unknown, long failed) {}

    /**
     * A server at one moment.
     *
     * @param health "healthy", "unhealthy", or "unknown" before the first report
     * @param trouble the reason that it is not healthy, or the last probe's error; empty if there is none
     */
    record Server(
            String name,
            String type,
            String health,
            String trouble,
            long checks,
            long checkFailures,
            @Nullable Duration sinceCheck) {}

    /** One of the pools that a pool is made up of. */
    record Part(String name, int open, int leased, int waiting, long checkouts, long timeouts, double averageMillis) {}

    /** A setting, and its origin. */
    record Setting(String name, String value, String origin) {}

    /**
     * An action by hand.
     *
     * @param question the question before it is done
     * @param statement the SQL that does the same; empty if there is none
     */
    record Action(String name, String label, String question, String statement, List<Argument> arguments) {}

    /** A whole number that an action takes. */
    record Argument(String name, String label, int least, int most, int suggested) {}
}
