// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Batches of events. Their transaction ids are stored negated, as Temporal does it, so that in the order of the key the newest
 * write of a node comes first. Ranges are from a node on, up to another and without it. Thread-safe.
 */
public final class HistoryNodes {

    private static final Table TABLE = Table.HISTORY_NODE;
    private static final String DATA = "data, data_encoding, ";

    private final Database database;

    HistoryNodes(Database database) {
        this.database = database;
    }

    /** Adds a batch, or takes the place of the same write of the same node, so that it can be repeated after an unknown outcome. */
    public void insert(HistoryTrees.Branch branch, Node node) throws SQLException {
        database.run(
                "InsertIntoHistoryNode",
                c -> Database.update(c, TABLE.replace(), Database.join(branch.key(), new Object[] {
                    node.nodeId(),
                    -node.txnId(),
                    node.prevTxnId(),
                    node.data().data(),
                    node.data().encoding()
                })));
    }

    /** Some batches, the first node first. */
    public Page<Node> select(HistoryTrees.Branch branch, long from, long to, int pageSize, Page.@Nullable Token page)
            throws SQLException {
        return select(new Range(branch, from, to, pageSize, page), DATA, false, HistoryNodes::read, Node::metadata);
    }

    /** Some batches, the last node first and its oldest write before the newer ones. */
    public Page<Node> selectReverse(
            HistoryTrees.Branch branch, long from, long to, int pageSize, Page.@Nullable Token page)
            throws SQLException {
        return select(new Range(branch, from, to, pageSize, page), DATA, true, HistoryNodes::read, Node::metadata);
    }

    /** Some batches without their events, the first node first. */
    public Page<Metadata> selectMetadata(
            HistoryTrees.Branch branch, long from, long to, int pageSize, Page.@Nullable Token page)
            throws SQLException {
        return select(
                new Range(branch, from, to, pageSize, page),
                "",
                false,
                HistoryNodes::readMetadata,
                Function.identity());
    }

    /** The range that is asked for. */
    private record Range(HistoryTrees.Branch branch, long from, long to, int pageSize, Page.@Nullable Token page) {

        Object[] parameters() {
            Object[] bounds = {from, to};
            Object[] limit = {pageSize};
            if (page == null) {
                return Database.join(branch.key(), bounds, limit);
            }
            List<String> last = page.key(2);
            Object[] after = {Long.parseLong(last.get(0)), Long.parseLong(last.get(1))};
            return Database.join(branch.key(), bounds, after, limit);
        }
    }

    private <T> Page<T> select(
            Range range, String data, boolean isReverse, Database.Reader<T> reader, Function<T, Metadata> metadata)
            throws SQLException {
        Database.requirePageSize(range.pageSize());
        String sql = TABLE.select(data + "node_id, txn_id, prev_txn_id", 3) + " AND node_id >= ? AND node_id < ?"
                + (range.page() == null ? "" : " AND (node_id, txn_id) " + (isReverse ? "<" : ">") + " (?, ?)")
                + " ORDER BY " + (isReverse ? "node_id DESC, txn_id DESC" : "node_id, txn_id") + " LIMIT ?";
        List<T> found =
                database.call("RangeSelectFromHistoryNode", c -> Database.query(c, sql, reader, range.parameters()));
        return Page.of(found, range.pageSize(), node -> {
            Metadata last = metadata.apply(node);
            return Page.Token.after(last.nodeId(), -last.txnId());
        });
    }

    /** Deletes one write of a node and returns whether it was there. */
    public boolean delete(HistoryTrees.Branch branch, long nodeId, long txnId) throws SQLException {
        return database.call(
                "DeleteFromHistoryNode",
                c -> Database.update(c, TABLE.delete(5), Database.join(branch.key(), new Object[] {nodeId, -txnId}))
                        == 1);
    }

    /** Deletes all from a node on, in as many transactions as it takes, and returns how many there were. */
    public long deleteFrom(HistoryTrees.Branch branch, long from) throws SQLException {
        String sql = TABLE.deleteFirst(3, "node_id >= ?", "node_id, txn_id");
        return Database.inSlices(most -> database.call(
                "RangeDeleteFromHistoryNode",
                c -> Database.update(c, sql, Database.join(branch.key(), new Object[] {from, most}))));
    }

    private static Node read(ResultSet row) throws SQLException {
        return new Node(
                row.getLong("node_id"), -row.getLong("txn_id"), row.getLong("prev_txn_id"), Database.blob(row, "data"));
    }

    private static Metadata readMetadata(ResultSet row) throws SQLException {
        return new Metadata(row.getLong("node_id"), -row.getLong("txn_id"), row.getLong("prev_txn_id"));
    }

    /**
     * A row of {@code history_node}: a batch of events. Immutable.
     *
     * @param nodeId the id of its first event
     * @param txnId which write it is; of two with the same node the higher is the newer
     * @param prevTxnId the write that it follows
     * @param data the events
     */
    public record Node(long nodeId, long txnId, long prevTxnId, Blob data) {

        Metadata metadata() {
            return new Metadata(nodeId, txnId, prevTxnId);
        }
    }

    /** A node without its events. Immutable. */
    public record Metadata(long nodeId, long txnId, long prevTxnId) {}
}
