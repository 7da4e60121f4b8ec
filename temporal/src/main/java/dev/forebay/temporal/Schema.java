// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.Transactions;
import dev.forebay.tx.internal.Causes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Temporal's schema on Aurora DSQL, or on PostgreSQL in the same shape: installs it, and finds how a database differs from it.
 * It is the schema that the connections' {@code search_path} begins with. Thread-safe.
 *
 * <h2>Installing</h2>
 *
 * DSQL takes one DDL statement in a transaction, so there is no installing all or nothing. Instead each step is made only if it
 * is not there yet, and the version is written when all others are. Whoever is stopped in between starts again; two who install
 * at once find each other's work done. An index is built by a job, and only a valid one counts as done.
 */
public final class Schema {

    /** The number that Temporal's schema for PostgreSQL has for this shape. */
    private static final String POSTGRES_VERSION = "1.19";

    /** The number that the Go plugin, with a count of its own, has for this shape: its tools apply what comes after it. */
    private static final String DSQL_VERSION = "1.1";

    /** Temporal's tools write this when they have made the tables of versions and nothing else. */
    private static final String NOTHING = "0.0";

    private static final String MIN_COMPATIBLE = "1.0";
    private static final String DESCRIPTION = "installed as it is on DSQL";

    /** Maximum waits for a job; the server decides how long one lasts. */
    private static final int WAITS = 100;

    /** The errors if it is there already: the table or index, the row type that goes with a table, or their row in the catalogue. */
    private static final Set<String> DUPLICATE = Set.of("42P07", "42710", "23505");

    private static final String SYNTAX_ERROR = "42601";
    private static final String LIMIT_EXCEEDED = "54000";
    private static final Set<String> NO_SUCH_TABLE = Set.of("42P01", "3F000");

    /** Temporal's tools look for the version here. */
    private static final Shape VERSIONS = new Shape(
            "schema_version",
            Stream.concat(
                            Column.key(Column.integer("version_partition"), Column.text("db_name")).stream(),
                            Stream.of(
                                    Column.timestamp("creation_time").nullable(),
                                    Column.varchar("curr_version", 64).nullable(),
                                    Column.varchar("min_compatible_version", 64).nullable()))
                    .toList());

    private static final Shape UPDATES = new Shape(
            "schema_update_history",
            Stream.concat(
                            Column.key(
                                    Column.integer("version_partition"),
                                    Column.integer("year"),
                                    Column.integer("month"),
                                    Column.timestamp("update_time"))
                                    .stream(),
                            Stream.of(
                                    Column.text("description").nullable(),
                                    Column.varchar("manifest_md5", 64).nullable(),
                                    Column.varchar("new_version", 64).nullable(),
                                    Column.varchar("old_version", 64).nullable()))
                    .toList());

    private static final List<Shape> SHAPES = Stream.concat(
                    Arrays.stream(Table.values()).map(table -> new Shape(table.sqlName(), table.columns())),
                    Stream.of(VERSIONS, UPDATES))
            .toList();

    /** The nodes of ids, for {@link dev.forebay.tx.TableNodeLease}: Forebay's own, which a database of the Go plugin's lacks. */
    private static final Shape ID_NODES = new Shape(
            "id_nodes",
            Stream.concat(Column.key(Column.integer("node")).stream(), Stream.of(Column.bigint("until_millis")))
                    .toList());

    private static final String SEED = "INSERT INTO namespace_metadata (partition_id, notification_version) VALUES ("
            + Namespaces.PARTITION + ", 1) ON CONFLICT (partition_id) DO NOTHING";

    private final Transactions transactions;

    private Schema(Transactions transactions) {
        this.transactions = transactions.idempotent();
    }

    /** The schema of the database that {@code transactions} run on. */
    public static Schema on(Transactions transactions) {
        return new Schema(transactions);
    }

    /** Hears of each step of {@link #install} that was taken. */
    @FunctionalInterface
    public interface Progress {

        /** Step {@code number} of {@code steps} is done. */
        void done(int number, int steps, String what);
    }

    // ---- installing

    /**
     * Makes whatever of the schema is not there, and writes its {@link #latest} version if none was written yet.
     *
     * @return how many steps it took; 0 if all was there
     * @throws SQLException also if there is another version, which is left as it is, or if something of the same name but another
     *     shape is in the way; {@link #verify} names it
     */
    public int install(Progress progress) throws SQLException {
        String latest = latest();
        requireNoOther(version(), latest);
        return install(progress, latest, false);
    }

    /** Does the same, but writes the {@link #latest} version also over another, be it newer. */
    public int installForced(Progress progress) throws SQLException {
        return install(progress, latest(), true);
    }

    private int install(Progress progress, String latest, boolean isForced) throws SQLException {
        List<Step> plan = plan(latest, isForced);
        int number = 0;
        for (Step step : plan) {
            step.action().run();
            progress.done(++number, plan.size(), step.what());
        }
        return number;
    }

    private static void requireNoOther(Optional<String> there, String latest) throws SQLException {
        if (there.isPresent() && !there.get().equals(latest)) {
            throw new SQLException("the schema has version " + there.get() + ", and " + latest
                    + " is not written over another version unless that is forced: nothing was changed");
        }
    }

    /** A step to be taken. */
    private record Step(String what, Action action) {}

    private interface Action {
        void run() throws SQLException;
    }

    private List<Step> plan(String latest, boolean isForced) throws SQLException {
        Catalog catalog = catalog();
        List<Step> plan = new ArrayList<>();
        for (Shape shape : all()) {
            if (catalog.table(shape.name()).isEmpty()) {
                plan.add(new Step("table " + shape.name(), () -> createTable(shape)));
            }
        }
        for (SchemaIndex index : SchemaIndex.ALL) {
            if (catalog.index(index.name()).filter(Catalog.Index::isValid).isEmpty()) {
                plan.add(new Step("index " + index.name(), () -> createIndex(index)));
            }
        }
        if (catalog.table(Table.NAMESPACE_METADATA.sqlName()).isEmpty() || isSeedMissing()) {
            plan.add(new Step("first row of namespace_metadata", this::seed));
        }
        if (!version().equals(Optional.of(latest))) {
            plan.add(new Step("version " + latest, () -> writeVersion(latest, isForced)));
        }
        return plan;
    }

    private static List<Shape> all() {
        return Stream.concat(SHAPES.stream(), Stream.of(ID_NODES)).toList();
    }

    /**
     * The statements of an installation, in order, each for a transaction of its own. Where they were run before, they change
     * nothing.
     *
     * @param isDsql whether they are for DSQL, where jobs build the indexes; otherwise for PostgreSQL
     */
    public static List<String> statements(boolean isDsql) {
        String version = isDsql ? DSQL_VERSION : POSTGRES_VERSION;
        String now = "now() AT TIME ZONE 'UTC'";
        return Stream.of(
                        all().stream().map(Shape::ddl),
                        SchemaIndex.ALL.stream().map(index -> index.ddl(isDsql)),
                        Stream.of(
                                SEED,
                                "INSERT INTO schema_update_history (version_partition, year, month, update_time, description,"
                                        + " manifest_md5, new_version, old_version) SELECT 0, extract(year FROM " + now
                                        + ")::int, extract(month FROM " + now + ")::int, " + now + ", '" + DESCRIPTION
                                        + "', '', '" + version + "', '" + NOTHING
                                        + "' WHERE NOT EXISTS (SELECT 1 FROM schema_version WHERE version_partition = 0"
                                        + " AND db_name = current_database())",
                                "INSERT INTO schema_version (version_partition, db_name, creation_time, curr_version,"
                                        + " min_compatible_version) VALUES (0, current_database(), " + now + ", '"
                                        + version
                                        + "', '" + MIN_COMPATIBLE
                                        + "') ON CONFLICT (version_partition, db_name) DO NOTHING"))
                .flatMap(part -> part)
                .toList();
    }

    private void createTable(Shape shape) throws SQLException {
        try {
            transactions.run("CreateTable", c -> Database.update(c, shape.ddl()));
        } catch (SQLException e) {
            // IF NOT EXISTS does not help those who make the same table at the same time
            if (!DUPLICATE.contains(state(e)) || catalog().table(shape.name()).isEmpty()) {
                throw e;
            }
        }
    }

    private void createIndex(SchemaIndex index) throws SQLException {
        Optional<Catalog.Index> found = catalog().index(index.name());
        boolean isAsync = isAsync();
        if (found.isPresent() && !found.get().isValid()) {
            // begun by an installation that did not see its end
            for (String job : isAsync ? unfinishedJobs(index) : List.<String>of()) {
                await(index, job);
            }
            found = catalog().index(index.name());
            if (found.isPresent() && !found.get().isValid()) {
                transactions.run("DropIndex", c -> Database.update(c, index.drop()));
                found = Optional.empty();
            }
        }
        if (found.isEmpty()) {
            build(index, isAsync);
        }
    }

    private void build(SchemaIndex index, boolean isAsync) throws SQLException {
        List<String> jobs = List.of();
        try {
            jobs = transactions.call("CreateIndex", c -> execute(c, index.ddl(isAsync)));
        } catch (SQLException e) {
            if (!DUPLICATE.contains(state(e))) {
                throw e;
            }
            if (catalog().index(index.name()).isEmpty()) { // otherwise another has made it at the same time
                throw failed(index, String.valueOf(e.getMessage()), e);
            }
        }
        if (isAsync && jobs.isEmpty()) {
            jobs = unfinishedJobs(index); // another's, or that of an attempt whose answer was lost
        }
        for (String job : jobs) {
            await(index, job);
        }
        if (catalog().index(index.name()).filter(Catalog.Index::isValid).isEmpty()) {
            throw failed(index, "it is not valid", null);
        }
    }

    /** Runs a statement and returns the jobs that go on with it. */
    private static List<String> execute(Connection c, String sql) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(sql)) {
            List<String> jobs = new ArrayList<>();
            if (statement.execute()) {
                try (ResultSet row = statement.getResultSet()) {
                    while (row.next()) {
                        jobs.add(String.valueOf(row.getString(1)));
                    }
                }
            }
            return jobs;
        }
    }

    private List<String> unfinishedJobs(SchemaIndex index) throws SQLException {
        return transactions.call(
                "SelectJobs",
                c -> Database.query(
                        c,
                        "SELECT job_id FROM sys.jobs WHERE object_name = current_schema() || '.' || ?"
                                + " AND status NOT IN ('completed', 'failed', 'cancelled')",
                        row -> row.getString(1),
                        index.name()));
    }

    private void await(SchemaIndex index, String job) throws SQLException {
        if (!job.matches("[a-z0-9]+")) {
            throw new SQLException("not the id of a job: " + job);
        }
        for (int i = 0; i < WAITS; i++) {
            try {
                transactions.call("WaitForJob", c -> execute(c, "CALL sys.wait_for_job('" + job + "')"));
            } catch (SQLException e) {
                if (!LIMIT_EXCEEDED.equals(state(e))) { // as long as a transaction may take
                    throw e;
                }
            }
            Optional<JobState> now = jobState(job);
            if (now.isEmpty() || now.get().status().equals("completed")) {
                return; // the list of jobs is pruned; whether the index is valid is looked at anyway
            }
            if (Set.of("failed", "cancelled").contains(now.get().status())) {
                throw failed(
                        index,
                        "its job " + job + " " + now.get().status() + ": "
                                + now.get().details(),
                        null);
            }
        }
        throw failed(index, "its job " + job + " does not end", null);
    }

    private record JobState(String status, @Nullable String details) {}

    private Optional<JobState> jobState(String job) throws SQLException {
        return transactions.call(
                "SelectJob",
                c -> Database.one(
                        c,
                        "SELECT status, details FROM sys.jobs WHERE job_id = ?",
                        row -> new JobState(row.getString(1), row.getString(2)),
                        job));
    }

    private static SQLException failed(SchemaIndex index, String why, @Nullable Throwable cause) {
        String advice = index.isUnique()
                ? ". If rows of " + index.table().sqlName() + " are alike in " + String.join(", ", index.columns())
                        + ", remove the surplus ones and install again"
                : "";
        return new SQLException("the index " + index.name() + " could not be built: " + why + advice, cause);
    }

    /** Whether indexes are built by jobs here, as on DSQL: the server is asked to read such a statement, not to run it. */
    private boolean isAsync() throws SQLException {
        try {
            return transactions.call("ParseCreateIndex", c -> {
                try (PreparedStatement statement =
                        c.prepareStatement(SchemaIndex.ALL.get(0).ddl(true))) {
                    return statement.getParameterMetaData().getParameterCount() == 0;
                }
            });
        } catch (SQLException e) {
            if (SYNTAX_ERROR.equals(state(e))) {
                return false;
            }
            throw e;
        }
    }

    private void seed() throws SQLException {
        transactions.run("SeedNamespaceMetadata", c -> Database.update(c, SEED));
    }

    private boolean isSeedMissing() throws SQLException {
        return transactions.call(
                "SelectNamespaceMetadata",
                c -> Database.one(
                                c,
                                Table.NAMESPACE_METADATA.select("notification_version", 1),
                                row -> row.getLong(1),
                                Namespaces.PARTITION)
                        .isEmpty());
    }

    // ---- the version

    /** The version that is installed: the Go plugin's number on DSQL, that of Temporal's own schema on PostgreSQL. */
    public String latest() throws SQLException {
        return isAsync() ? DSQL_VERSION : POSTGRES_VERSION;
    }

    /** The version that was installed last; empty if none has been, or not to its end. */
    public Optional<String> version() throws SQLException {
        try {
            return transactions.call("SelectSchemaVersion", Schema::version);
        } catch (SQLException e) {
            if (NO_SUCH_TABLE.contains(state(e))) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static Optional<String> version(Connection c) throws SQLException {
        return Database.one(
                        c,
                        "SELECT curr_version FROM schema_version"
                                + " WHERE version_partition = 0 AND db_name = current_database()",
                        row -> String.valueOf(row.getString(1)))
                .filter(version -> !version.equals(NOTHING));
    }

    private void writeVersion(String latest, boolean isForced) throws SQLException {
        transactions.run("WriteSchemaVersion", c -> {
            Optional<String> old = version(c);
            if (!isForced) {
                requireNoOther(old, latest); // another may have written one since the plan was made
            }
            int rows = Database.update(
                    c,
                    "INSERT INTO schema_version"
                            + " (version_partition, db_name, creation_time, curr_version, min_compatible_version)"
                            + " VALUES (0, current_database(), now() AT TIME ZONE 'UTC', ?, ?)"
                            + " ON CONFLICT (version_partition, db_name) DO UPDATE SET curr_version = excluded.curr_version,"
                            + " min_compatible_version = excluded.min_compatible_version"
                            + " WHERE schema_version.curr_version IN (?, ?)"
                            + " AND schema_version.curr_version <> excluded.curr_version",
                    latest,
                    MIN_COMPATIBLE,
                    NOTHING,
                    old.orElse(NOTHING));
            if (rows == 0) {
                requireNoOther(version(c), latest);
                return; // another has written it
            }
            Database.update(
                    c,
                    "INSERT INTO schema_update_history (version_partition, year, month, update_time, description,"
                            + " manifest_md5, new_version, old_version)"
                            + " VALUES (0, extract(year FROM now() AT TIME ZONE 'UTC')::int,"
                            + " extract(month FROM now() AT TIME ZONE 'UTC')::int, now() AT TIME ZONE 'UTC', ?, '', ?, ?)",
                    DESCRIPTION,
                    latest,
                    old.orElse(NOTHING));
        });
    }

    // ---- what differs

    /**
     * A difference between the schema as it should be and as it is. Immutable.
     *
     * @param kind the kind of difference
     * @param table the table that differs
     * @param name the column or index; the table's for the table itself
     * @param message the difference in words
     * @param mend the statements that would mend it, one a transaction; empty if none can without harm
     */
    public record Finding(Kind kind, String table, String name, String message, List<String> mend) {

        public Finding {
            mend = List.copyOf(mend);
        }

        @Override
        public String toString() {
            return message;
        }
    }

    /** The ways in which two schemas can differ. */
    public enum Kind {
        MISSING_TABLE,
        MISSING_COLUMN,
        EXTRA_COLUMN,
        OTHER_TYPE,
        OTHER_NULLABILITY,
        OTHER_KEY,
        MISSING_INDEX,
        INVALID_INDEX,
        OTHER_INDEX,
        MISSING_ROW
    }

    /**
     * The way from the schema as it is to what it should be. Immutable.
     *
     * @param statements in order, one a transaction
     * @param unmendable the differences that no statement can mend without harm
     */
    public record Diff(List<String> statements, List<Finding> unmendable) {}

    /**
     * Every difference; none if the schema is as it should be. Defaults are not compared, nor are tables that are not Temporal's,
     * and the table of nodes for ids, which is not Temporal's either, may be missing.
     */
    public List<Finding> verify() throws SQLException {
        Catalog catalog = catalog();
        List<Finding> findings = new ArrayList<>();
        for (Shape shape : SHAPES) {
            catalog.table(shape.name())
                    .ifPresentOrElse(
                            table -> compare(shape, table, findings),
                            () -> findings.add(new Finding(
                                    Kind.MISSING_TABLE,
                                    shape.name(),
                                    shape.name(),
                                    "table " + shape.name() + " is missing",
                                    List.of(shape.ddl()))));
        }
        catalog.table(ID_NODES.name()).ifPresent(table -> compare(ID_NODES, table, findings));
        boolean isAsync = isAsync();
        for (SchemaIndex index : SchemaIndex.ALL) {
            compare(index, catalog.index(index.name()), isAsync).ifPresent(findings::add);
        }
        if (catalog.table(Table.NAMESPACE_METADATA.sqlName()).isPresent() && isSeedMissing()) {
            findings.add(new Finding(
                    Kind.MISSING_ROW,
                    Table.NAMESPACE_METADATA.sqlName(),
                    Table.NAMESPACE_METADATA.sqlName(),
                    "namespace_metadata has no row with partition_id " + Namespaces.PARTITION,
                    List.of(SEED)));
        }
        return findings;
    }

    /** The statements that would mend the differences, and the differences that none can. */
    public Diff diff() throws SQLException {
        List<Finding> findings = verify();
        return new Diff(
                findings.stream().flatMap(finding -> finding.mend().stream()).toList(),
                findings.stream().filter(finding -> finding.mend().isEmpty()).toList());
    }

    private static void compare(Shape shape, Catalog.Relation table, List<Finding> findings) {
        for (Column wanted : shape.columns()) {
            Catalog.Attribute found = table.column(wanted.name());
            if (found == null) {
                findings.add(missing(shape, wanted));
                continue;
            }
            String where = shape.name() + "." + wanted.name();
            if (!found.type().equals(catalogType(wanted))) {
                String message = where + " is " + found.type() + " and should be " + catalogType(wanted);
                findings.add(new Finding(Kind.OTHER_TYPE, shape.name(), wanted.name(), message, List.of()));
            }
            if (found.isNullable() != wanted.isNullable()) {
                String message =
                        where + (found.isNullable() ? " may be null and should not" : " may not be null and should");
                findings.add(new Finding(Kind.OTHER_NULLABILITY, shape.name(), wanted.name(), message, List.of()));
            }
        }
        Set<String> names = shape.columns().stream().map(Column::name).collect(Collectors.toSet());
        for (Catalog.Attribute found : table.columns()) {
            if (!names.contains(found.name())) {
                String message = shape.name() + "." + found.name() + " (" + found.type()
                        + ") should not be there; dropping it would lose what is in it";
                findings.add(new Finding(Kind.EXTRA_COLUMN, shape.name(), found.name(), message, List.of()));
            }
        }
        if (!table.key().equals(shape.key())) {
            String message =
                    "the primary key of " + shape.name() + " is " + table.key() + " and should be " + shape.key();
            findings.add(new Finding(Kind.OTHER_KEY, shape.name(), shape.name(), message, List.of()));
        }
    }

    /** DSQL adds columns without constraints and defaults only. */
    private static Finding missing(Shape shape, Column wanted) {
        boolean canBeAdded = wanted.isNullable() && wanted.byDefault().isEmpty();
        return new Finding(
                Kind.MISSING_COLUMN,
                shape.name(),
                wanted.name(),
                "column " + shape.name() + "." + wanted.name() + " is missing",
                canBeAdded ? List.of("ALTER TABLE " + shape.name() + " ADD COLUMN " + wanted.ddl()) : List.of());
    }

    private static Optional<Finding> compare(SchemaIndex index, Optional<Catalog.Index> found, boolean isAsync) {
        String table = index.table().sqlName();
        if (found.isEmpty()) {
            String message = "index " + index.name() + " on " + table + " is missing";
            return Optional.of(
                    new Finding(Kind.MISSING_INDEX, table, index.name(), message, List.of(index.ddl(isAsync))));
        }
        List<String> again = List.of(index.drop(), index.ddl(isAsync));
        if (!index.isAs(found.get())) {
            String message = "index " + index.name() + " is " + words(found.get()) + " and should be "
                    + words(new Catalog.Index(table, index.columns(), index.isUnique(), true));
            return Optional.of(new Finding(Kind.OTHER_INDEX, table, index.name(), message, again));
        }
        if (!found.get().isValid()) {
            String message = "index " + index.name() + " is not valid: its job has failed, or has not ended";
            return Optional.of(new Finding(Kind.INVALID_INDEX, table, index.name(), message, again));
        }
        return Optional.empty();
    }

    private static String words(Catalog.Index index) {
        return (index.isUnique() ? "unique " : "") + "on " + index.table() + " " + index.columns();
    }

    /** A type as the catalog names it. */
    private static String catalogType(Column column) {
        String type = column.type().toLowerCase(Locale.ROOT);
        return type.equals("timestamp") ? "timestamp without time zone" : type.replace("varchar", "character varying");
    }

    // ---- the database

    private Catalog catalog() throws SQLException {
        return transactions.call("SelectCatalog", Catalog::read);
    }

    private static @Nullable String state(SQLException e) {
        for (Throwable one : Causes.of(e)) {
            if (one instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return null;
    }

    /** A table: one of Temporal's, or of its tools'. */
    private record Shape(String name, List<Column> columns) {

        List<String> key() {
            return columns.stream().filter(Column::isKey).map(Column::name).toList();
        }

        String ddl() {
            return "CREATE TABLE IF NOT EXISTS " + name + " ("
                    + columns.stream().map(Column::ddl).collect(Collectors.joining(", ")) + ", PRIMARY KEY ("
                    + String.join(", ", key()) + "))";
        }
    }
}
