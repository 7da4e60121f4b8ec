// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import dev.forebay.tx.ConditionFailedException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** User data of task queues, and the build ids that find these, fenced by the version of a row. Thread-safe. */
public final class UserData {

    private static final Table TABLE = Table.TASK_QUEUE_USER_DATA;
    private static final Table BUILD_IDS = Table.BUILD_ID_TO_TASK_QUEUE;
    private static final String COLUMNS = "task_queue_name, data, data_encoding, version";

    private final Database database;

    UserData(Database database) {
        this.database = database;
    }

    /** The user data of the queue, if there is any. */
    public Optional<Row> get(UUID namespaceId, String taskQueue) throws SQLException {
        return database.call(
                "GetTaskQueueUserData",
                c -> Database.one(c, TABLE.select(COLUMNS, 2), UserData::read, namespaceId, taskQueue));
    }

    /**
     * Writes the user data of a queue and maps build ids to it, in one transaction.
     *
     * @param changed with the version that it had when it was read; 0 if it was not there
     * @param added build ids by which it is to be found from now on
     * @param removed build ids by which it is to be found no more
     * @return the version that it has now
     * @throws ConditionFailedException if it has another version
     * @throws NotFoundException if it is not there and the version is not 0
     */
    public long update(UUID namespaceId, Row changed, Collection<String> added, Collection<String> removed)
            throws SQLException {
        return database.call("UpdateTaskQueueUserData", c -> {
            String queue = changed.taskQueue();
            long version = Tokens.save(
                    c,
                    TABLE,
                    "user data of task queue " + queue,
                    changed.version(),
                    changed.data(),
                    namespaceId,
                    queue);
            Database.batch(c, BUILD_IDS.replace(), rows(namespaceId, queue, added));
            Database.batch(c, BUILD_IDS.delete(3), rows(namespaceId, queue, removed));
            return version;
        });
    }

    private static List<@Nullable Object[]> rows(UUID namespaceId, String queue, Collection<String> buildIds) {
        List<@Nullable Object[]> rows = new ArrayList<>(buildIds.size());
        for (String buildId : buildIds) {
            rows.add(new @Nullable Object[] {namespaceId, buildId, queue});
        }
        return rows;
    }

    /** Some of the queues of a namespace of which something is said, in the order of their names. */
    public Page<Row> list(UUID namespaceId, int pageSize, Page.@Nullable Token page) throws SQLException {
        Database.requirePageSize(pageSize);
        String after = page == null ? "" : page.key(1).get(0);
        String sql = TABLE.select(COLUMNS, 1) + " AND task_queue_name > ? ORDER BY task_queue_name LIMIT ?";
        List<Row> found = database.call(
                "ListTaskQueueUserDataEntries",
                c -> Database.query(c, sql, UserData::read, namespaceId, after, pageSize));
        return Page.of(found, pageSize, row -> Page.Token.after(row.taskQueue()));
    }

    /** Has a queue found by build ids from now on; those by which it is found already stay. */
    public void addBuildIds(UUID namespaceId, String taskQueue, Collection<String> buildIds) throws SQLException {
        database.run(
                "AddToBuildIdToTaskQueueMapping",
                c -> Database.batch(c, BUILD_IDS.replace(), rows(namespaceId, taskQueue, buildIds)));
    }

    /** Has a queue found by build ids no more. */
    public void removeBuildIds(UUID namespaceId, String taskQueue, Collection<String> buildIds) throws SQLException {
        database.run(
                "RemoveFromBuildIdToTaskQueueMapping",
                c -> Database.batch(c, BUILD_IDS.delete(3), rows(namespaceId, taskQueue, buildIds)));
    }

    /** The names of the queues that are found by a build id, in order. */
    public List<String> taskQueues(UUID namespaceId, String buildId) throws SQLException {
        return database.call(
                "GetTaskQueuesByBuildId",
                c -> Database.query(
                        c,
                        BUILD_IDS.select("task_queue_name", 2) + " ORDER BY task_queue_name",
                        row -> row.getString(1),
                        namespaceId,
                        buildId));
    }

    /** The number of queues that a build id finds. */
    public int countTaskQueues(UUID namespaceId, String buildId) throws SQLException {
        return database.call(
                        "CountTaskQueuesByBuildId",
                        c -> Database.query(
                                c, BUILD_IDS.select("count(*)", 2), row -> row.getInt(1), namespaceId, buildId))
                .get(0);
    }

    private static Row read(ResultSet row) throws SQLException {
        return new Row(row.getString("task_queue_name"), row.getLong("version"), Database.blob(row, "data"));
    }

    /**
     * A row of {@code task_queue_user_data}. Immutable.
     *
     * @param taskQueue the queue's name
     * @param version the number of times it was written
     * @param data its user data
     */
    public record Row(String taskQueue, long version, Blob data) {}
}
