// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The branches of history. They are written once and have no fence. Thread-safe. */
public final class HistoryTrees {

    private static final Table TABLE = Table.HISTORY_TREE;
    private static final String COLUMNS = Table.names(TABLE.columns());

    private final Database database;

    HistoryTrees(Database database) {
        this.database = database;
    }

    /** Adds a branch; a repetition is no error. */
    public void insert(Tree tree) throws SQLException {
        database.run(
                "InsertIntoHistoryTree",
                c -> Database.update(
                        c, TABLE.replace(), Database.join(tree.branch().key(), new Object[] {
                            tree.data().data(), tree.data().encoding()
                        })));
    }

    /** All branches of a tree. */
    public List<Tree> select(int shardId, UUID treeId) throws SQLException {
        return database.call(
                "SelectFromHistoryTree",
                c -> Database.query(
                        c, TABLE.select(COLUMNS, 2) + " ORDER BY branch_id", HistoryTrees::read, shardId, treeId));
    }

    /** Deletes a branch, without its nodes, and returns whether it was there. */
    public boolean delete(Branch branch) throws SQLException {
        return database.call("DeleteFromHistoryTree", c -> Database.update(c, TABLE.delete(3), branch.key()) == 1);
    }

    /** Some branches of all shards, in the order of their keys. */
    public Page<Tree> list(int pageSize, Page.@Nullable Token page) throws SQLException {
        Database.requirePageSize(pageSize);
        String sql = "SELECT " + COLUMNS + " FROM history_tree"
                + (page == null ? "" : " WHERE (shard_id, tree_id, branch_id) > (?, ?, ?)")
                + " ORDER BY shard_id, tree_id, branch_id LIMIT ?";
        List<String> last = page == null ? List.of() : page.key(3);
        Object[] after = page == null
                ? new Object[0]
                : new Object[] {
                    Integer.parseInt(last.get(0)), UUID.fromString(last.get(1)), UUID.fromString(last.get(2))
                };
        List<Tree> found = database.call(
                "PaginateBranchesFromHistoryTree",
                c -> Database.query(c, sql, HistoryTrees::read, Database.join(after, new Object[] {pageSize})));
        return Page.of(found, pageSize, tree -> Page.Token.after(tree.branch().key()));
    }

    private static Tree read(ResultSet row) throws SQLException {
        return new Tree(
                new Branch(row.getInt("shard_id"), Database.uuid(row, "tree_id"), Database.uuid(row, "branch_id")),
                Database.blob(row, "data"));
    }

    /** A row of {@code history_tree}: the data of a branch. Immutable. */
    public record Tree(Branch branch, Blob data) {}

    /** The key of a branch of history. Immutable. */
    public record Branch(int shardId, UUID treeId, UUID branchId) {

        Object[] key() {
            return new Object[] {shardId, treeId, branchId};
        }
    }
}
