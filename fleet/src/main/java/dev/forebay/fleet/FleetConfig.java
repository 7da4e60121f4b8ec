// SPDX-License-Identifier: Apache-2.0
package dev.forebay.fleet;

import dev.forebay.engine.internal.Option;
import dev.forebay.engine.internal.OptionKind;
import dev.forebay.engine.internal.OptionValues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the limits that a fleet shares, from the environment, from properties or from code. Immutable and
 * thread-safe. Every knob is described in {@code docs/configuration.md}.
 */
public final class FleetConfig {

    /** The way the permits of a fleet are counted. */
    public enum PermitKind {
        /** A token bucket, which knows of the burst. */
        BUCKET,
        /** A count for each second, as Go services keep it. */
        WINDOW
    }

    /** The owner of a lease. */
    public enum LeasePer {
        /** A process, for all its connections. */
        INSTANCE,
        /** Each connection, as with Go services. */
        CONNECTION
    }

    /** The treatment of new connections while the store is out of reach. */
    public enum Outage {
        /** They are opened anyway, each pool within its own limits, and counted as excess. */
        LOCAL,
        /** They are not opened, and the others are closed before the lease ends. */
        BLOCK
    }

    private static final String GROUP = "Fleet";
    private static final List<Option<?>> DECLARED = new ArrayList<>();
    private static final Option<Boolean> RATE_ENABLED = of(
            "forebay.fleet.rate-limiter.enabled",
            "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED",
            OptionKind.flag(),
            "false",
            "Whether all services share one limit on new connections; AuroraDsql only.");
    private static final Option<String> RATE_TABLE = declare(Option.open(
            GROUP,
            "forebay.fleet.rate-limiter.table",
            "DSQL_DISTRIBUTED_RATE_LIMITER_TABLE",
            OptionKind.text(),
            "none",
            "The DynamoDB table of that limit; required if it is enabled."));
    private static final Option<Integer> RATE_LIMIT = of(
            "forebay.fleet.rate-limiter.limit",
            "DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT",
            OptionKind.count(1),
            "100",
            "How many connections all services open a second.");
    private static final Option<Integer> RATE_BURST = of(
            "forebay.fleet.rate-limiter.burst",
            "DSQL_DISTRIBUTED_RATE_LIMITER_BURST",
            OptionKind.count(1),
            "800",
            "How many of these may be saved up, for the kind bucket; below the 1,000 of Aurora DSQL, since others may connect as well.");
    private static final Option<Duration> RATE_MAX_WAIT = of(
            "forebay.fleet.rate-limiter.max-wait",
            "DSQL_DISTRIBUTED_RATE_LIMITER_MAX_WAIT",
            OptionKind.positiveDuration(),
            "30s",
            "How long this process may get no permit at all before that counts as a failure.");
    private static final Option<PermitKind> RATE_KIND = of(
            "forebay.fleet.rate-limiter.kind",
            "DSQL_DISTRIBUTED_RATE_LIMITER_KIND",
            OptionKind.choice(PermitKind.class),
            "bucket",
            "How permits are counted: bucket knows of the burst, window is what Go services share.");
    private static final Option<Outage> RATE_OUTAGE = of(
            "forebay.fleet.rate-limiter.outage",
            "DSQL_DISTRIBUTED_RATE_LIMITER_OUTAGE",
            OptionKind.choice(Outage.class),
            "local",
            "The rule while DynamoDB is out of reach: local opens at this process's share of the limit, divided by the instances last seen, block opens nothing.");
    private static final Option<Integer> RATE_OUTAGE_MINIMUM = of(
            "forebay.fleet.rate-limiter.outage-minimum",
            "DSQL_DISTRIBUTED_RATE_LIMITER_OUTAGE_MINIMUM",
            OptionKind.count(1),
            "1",
            "How many connections a second a process opens while DynamoDB is out of reach if it has never seen how many share the limit.");
    private static final Option<Boolean> LEASE_ENABLED = of(
            "forebay.fleet.lease.enabled",
            "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED",
            OptionKind.flag(),
            "false",
            "Whether all services share one limit on open connections; AuroraDsql only.");
    private static final Option<String> LEASE_TABLE = declare(Option.open(
            GROUP,
            "forebay.fleet.lease.table",
            "DSQL_DISTRIBUTED_CONN_LEASE_TABLE",
            OptionKind.text(),
            "none",
            "The DynamoDB table of the leases; required if they are enabled."));
    private static final Option<Integer> LEASE_LIMIT = of(
            "forebay.fleet.lease.limit",
            "DSQL_DISTRIBUTED_CONN_LIMIT",
            OptionKind.count(1),
            "10000",
            "How many connections all services may have open.");
    private static final Option<Duration> LEASE_TTL = of(
            "forebay.fleet.lease.ttl",
            "DSQL_DISTRIBUTED_CONN_LEASE_TTL",
            OptionKind.positiveDuration(),
            "3m",
            "After how long without a renewal an instance counts as gone and its connections are given to others.");
    private static final Option<Duration> LEASE_RENEWAL = of(
            "forebay.fleet.lease.renewal",
            "DSQL_DISTRIBUTED_CONN_LEASE_RENEWAL",
            OptionKind.positiveDuration(),
            "1m",
            "How often an instance renews its lease: at least three times in its time-to-live.");
    private static final Option<Outage> LEASE_OUTAGE = of(
            "forebay.fleet.lease.outage",
            "DSQL_DISTRIBUTED_CONN_LEASE_OUTAGE",
            OptionKind.choice(Outage.class),
            "local",
            "What happens while DynamoDB is out of reach: local opens connections all the same, block opens none and lets the others go before the lease ends.");
    private static final Option<LeasePer> LEASE_PER = of(
            "forebay.fleet.lease.per",
            "DSQL_DISTRIBUTED_CONN_LEASE_PER",
            OptionKind.choice(LeasePer.class),
            "instance",
            "What has a lease of its own: instance costs little, connection shows each connection in the table.");

    private static final List<Option<?>> ALL = List.copyOf(DECLARED);

    private final OptionValues values;

    private FleetConfig(Builder builder) {
        this.values = builder.settings.copy();
        values.takeAll();
        requireTable(RATE_ENABLED, RATE_TABLE);
        requireTable(LEASE_ENABLED, LEASE_TABLE);
        values.refuse(
                connectionLease() && leaseRenewal().multipliedBy(3).compareTo(leaseTtl()) > 0,
                "one renewal that is late would cost the lease",
                "a renewal of at most a third of the ttl",
                LEASE_RENEWAL,
                LEASE_TTL);
    }

    private static <T> Option<T> of(String name, String variable, OptionKind<T> kind, String value, String purpose) {
        return declare(Option.of(GROUP, name, variable, kind, value, purpose));
    }

    private static <T> Option<T> declare(Option<T> knob) {
        DECLARED.add(knob);
        return knob;
    }

    private void requireTable(Option<Boolean> enabled, Option<String> table) {
        values.refuse(
                values.get(enabled) && values.find(table) == null,
                "there is no table",
                table.variable() + " or " + table.name() + " with the name of a DynamoDB table",
                enabled);
    }

    /** A builder with everything at its default, at which nothing is shared. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Reads {@code settings}, by property or by environment variable; of two that name the same, the later counts.
     * Those that are not a fleet's are ignored.
     *
     * @throws IllegalArgumentException naming the setting, its value and the valid values
     */
    public static FleetConfig of(Map<String, String> settings) {
        return builder().apply(settings).build();
    }

    /** All settings, in the order of the reference page: for our own tools, since an option is no promise. */
    @SuppressWarnings("exports")
    public static List<Option<?>> knobs() {
        return ALL;
    }

    /** Returns the notices of ignored settings, in sentences for a log. */
    public List<String> notices() {
        return values.notices();
    }

    /** The origin of each knob's value, by property name: "default", "environment variable X", "property x" or "code". */
    public Map<String, String> origins() {
        return values.origins();
    }

    /** Each knob's value as text, by property name; knobs without a value are left out. */
    public Map<String, String> values() {
        return values.texts();
    }

    // ---- one accessor for each knob

    /** Whether all services share one limit on new connections; AuroraDsql only. */
    public boolean rateLimiter() {
        return values.get(RATE_ENABLED);
    }

    /** The DynamoDB table of that limit; required if it is enabled. */
    public @Nullable String rateTable() {
        return values.find(RATE_TABLE);
    }

    /** The most connections all services open a second. */
    public int rateLimit() {
        return values.get(RATE_LIMIT);
    }

    /** The most of these that may be saved up, for the kind bucket; below the 1,000 of Aurora DSQL, since others may connect as well. */
    public int rateBurst() {
        return values.get(RATE_BURST);
    }

    /** The longest time without any permit for this process before that counts as a failure. */
    public Duration rateMaxWait() {
        return values.get(RATE_MAX_WAIT);
    }

    /** The way permits are counted: bucket knows of the burst, window is shared with Go services. */
    public PermitKind rateKind() {
        return values.get(RATE_KIND);
    }

    /** The rule while DynamoDB is out of reach: local opens at this process's share of the limit, divided by the instances last seen, block opens nothing. */
    public Outage rateOutage() {
        return values.get(RATE_OUTAGE);
    }

    /** The connections a second a process opens while DynamoDB is out of reach if it has never seen how many share the limit. */
    public int rateOutageMinimum() {
        return values.get(RATE_OUTAGE_MINIMUM);
    }

    /** Whether all services share one limit on open connections; AuroraDsql only. */
    public boolean connectionLease() {
        return values.get(LEASE_ENABLED);
    }

    /** The DynamoDB table of the leases; required if they are enabled. */
    public @Nullable String leaseTable() {
        return values.find(LEASE_TABLE);
    }

    /** The most connections all services may have open. */
    public int leaseLimit() {
        return values.get(LEASE_LIMIT);
    }

    /** The time without a renewal after which an instance counts as gone and its connections are given to others. */
    public Duration leaseTtl() {
        return values.get(LEASE_TTL);
    }

    /** The time between two renewals of a lease: at most a third of its time-to-live. */
    public Duration leaseRenewal() {
        return values.get(LEASE_RENEWAL);
    }

    /** The rule while DynamoDB is out of reach: local opens connections anyway, block opens none and closes the others before the lease ends. */
    public Outage leaseOutage() {
        return values.get(LEASE_OUTAGE);
    }

    /** The owner of a lease: instance costs little, connection shows each connection in the table. */
    public LeasePer leasePer() {
        return values.get(LEASE_PER);
    }

    /** Collects settings; each setter is described by the accessor of its name. Not thread-safe. */
    public static final class Builder {

        private final OptionValues settings = new OptionValues(ALL, List.of("DSQL_DISTRIBUTED_", "forebay.fleet."));

        private Builder() {}

        /**
         * Sets the options that {@code named} names, as {@link FleetConfig#of}.
         *
         * @throws IllegalArgumentException naming the setting, its value and the valid values
         */
        public Builder apply(Map<String, String> named) {
            named.forEach((name, text) -> {
                Map<String, String> one = Map.of(name, text);
                if (name.startsWith("forebay.")) {
                    settings.readProperties(one);
                } else {
                    settings.readVariables(one);
                }
            });
            return this;
        }

        private <T> Builder set(Option<T> knob, @Nullable T value) {
            settings.set(knob, value);
            return this;
        }

        /**
         * Checks the settings and returns them.
         *
         * @throws IllegalArgumentException naming the setting, its value and the valid values
         */
        public FleetConfig build() {
            return new FleetConfig(this);
        }

        // ---- one setter for each knob

        public Builder rateLimiter(boolean rateLimiter) {
            return set(RATE_ENABLED, rateLimiter);
        }

        public Builder rateTable(@Nullable String rateTable) {
            return set(RATE_TABLE, rateTable);
        }

        public Builder rateLimit(int rateLimit) {
            return set(RATE_LIMIT, rateLimit);
        }

        public Builder rateBurst(int rateBurst) {
            return set(RATE_BURST, rateBurst);
        }

        public Builder rateMaxWait(Duration rateMaxWait) {
            return set(RATE_MAX_WAIT, rateMaxWait);
        }

        public Builder rateKind(PermitKind rateKind) {
            return set(RATE_KIND, rateKind);
        }

        public Builder rateOutage(Outage rateOutage) {
            return set(RATE_OUTAGE, rateOutage);
        }

        public Builder rateOutageMinimum(int rateOutageMinimum) {
            return set(RATE_OUTAGE_MINIMUM, rateOutageMinimum);
        }

        public Builder connectionLease(boolean connectionLease) {
            return set(LEASE_ENABLED, connectionLease);
        }

        public Builder leaseTable(@Nullable String leaseTable) {
            return set(LEASE_TABLE, leaseTable);
        }

        public Builder leaseLimit(int leaseLimit) {
            return set(LEASE_LIMIT, leaseLimit);
        }

        public Builder leaseTtl(Duration leaseTtl) {
            return set(LEASE_TTL, leaseTtl);
        }

        public Builder leaseRenewal(Duration leaseRenewal) {
            return set(LEASE_RENEWAL, leaseRenewal);
        }

        public Builder leaseOutage(Outage leaseOutage) {
            return set(LEASE_OUTAGE, leaseOutage);
        }

        public Builder leasePer(LeasePer leasePer) {
            return set(LEASE_PER, leasePer);
        }
    }
}
