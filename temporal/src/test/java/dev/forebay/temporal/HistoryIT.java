// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class HistoryIT extends OnBothDatabases {

    private static final UUID TREE = new UUID(0x4000, 1);
    private static final HistoryTrees.Branch BRANCH = new HistoryTrees.Branch(7, TREE, new UUID(0x4000, 2));
    private static final HistoryTrees.Branch OTHER = new HistoryTrees.Branch(7, TREE, new UUID(0x4000, 3));
    private static final Blob DATA = Blob.proto3(new byte[] {1});

    // ---- nodes

    @Test
    void theNewestWriteOfANodeComesFirst() throws SQLException {
        HistoryNodes nodes = temporal.historyNodes();
        HistoryNodes.Node older = new HistoryNodes.Node(1, 10, 0, DATA);
        HistoryNodes.Node newer = new HistoryNodes.Node(1, 20, 5, DATA);
        HistoryNodes.Node next = new HistoryNodes.Node(4, 15, 10, DATA);
        for (HistoryNodes.Node node : List.of(next, older, newer)) {
            nodes.insert(BRANCH, node);
        }
        nodes.insert(OTHER, new HistoryNodes.Node(1, 99, 0, DATA));
        assertEquals(
                List.of(newer, older, next),
                nodes.select(BRANCH, 1, 100, 10, null).rows());
        assertEquals(
                List.of(next, older, newer),
                nodes.selectReverse(BRANCH, 1, 100, 10, null).rows());
        assertEquals(List.of(newer, older), nodes.select(BRANCH, 1, 4, 10, null).rows());
        assertEquals(List.of(next), nodes.select(BRANCH, 2, 5, 10, null).rows());
        assertEquals(
                List.of(new HistoryNodes.Metadata(4, 15, 10)),
                nodes.selectMetadata(BRANCH, 2, 5, 10, null).rows());
    }

    @Test
    void theTransactionIdIsStoredNegatedAsTemporalReadsIt() throws SQLException {
        temporal.historyNodes().insert(BRANCH, new HistoryNodes.Node(1, 10, 5, DATA));
        List<List<Long>> stored = transactions.call(
                "stored",
                c -> Database.query(
                        c,
                        "SELECT txn_id, prev_txn_id FROM history_node",
                        row -> List.of(row.getLong(1), row.getLong(2))));
        assertEquals(List.of(List.of(-10L, 5L)), stored);
    }

    /** As Temporal does it, so that a caller may repeat what may have been committed. */
    @Test
    void theSameWriteOfTheSameNodeTakesItsPlace() throws SQLException {
        HistoryNodes nodes = temporal.historyNodes();
        HistoryNodes.Node node = new HistoryNodes.Node(1, 10, 0, DATA);
        nodes.insert(BRANCH, node);
        nodes.insert(BRANCH, node);
        assertEquals(List.of(node), nodes.select(BRANCH, 0, 100, 10, null).rows());
        HistoryNodes.Node other = new HistoryNodes.Node(1, 10, 9, Blob.proto3(new byte[] {7}));
        nodes.insert(BRANCH, other);
        assertEquals(List.of(other), nodes.select(BRANCH, 0, 100, 10, null).rows());
    }

    @Test
    void everyOrderIsReadPageByPage() throws SQLException {
        HistoryNodes nodes = temporal.historyNodes();
        List<HistoryNodes.Node> all = new ArrayList<>();
        for (int node = 1; node <= 4; node++) {
            for (int txn = 3; txn >= 1; txn--) {
                HistoryNodes.Node one = new HistoryNodes.Node(node, txn, txn - 1, DATA);
                nodes.insert(BRANCH, one);
                all.add(one);
            }
        }
        for (int size : new int[] {1, 2, 5, 12, 13}) {
            assertEquals(all, Pages.all(page -> nodes.select(BRANCH, 1, 5, size, page)));
            assertEquals(
                    all.stream().map(HistoryNodes.Node::metadata).toList(),
                    Pages.all(page -> nodes.selectMetadata(BRANCH, 1, 5, size, page)));
            List<HistoryNodes.Node> reversed = new ArrayList<>(all);
            Collections.reverse(reversed);
            assertEquals(reversed, Pages.all(page -> nodes.selectReverse(BRANCH, 1, 5, size, page)));
        }
    }

    @Test
    void nodesAreDeletedOneByOneAndFromOneOn() throws SQLException {
        HistoryNodes nodes = temporal.historyNodes();
        for (int node = 1; node <= 6; node++) {
            nodes.insert(BRANCH, new HistoryNodes.Node(node, 1, 0, DATA));
        }
        nodes.insert(OTHER, new HistoryNodes.Node(6, 1, 0, DATA));
        assertTrue(nodes.delete(BRANCH, 1, 1));
        assertFalse(nodes.delete(BRANCH, 1, 1));
        assertEquals(3, nodes.deleteFrom(BRANCH, 4));
        assertEquals(2, nodes.select(BRANCH, 0, 100, 10, null).rows().size());
        assertEquals(1, nodes.select(OTHER, 0, 100, 10, null).rows().size());
    }

    @Test
    void moreNodesThanATransactionMayChangeAreDeleted() throws SQLException {
        HistoryNodes nodes = temporal.historyNodes();
        transactions.run("many", c -> fill(c, 1, 3_000));
        transactions.run("many", c -> fill(c, 3_001, 4_000));
        assertEquals(4_000, nodes.deleteFrom(BRANCH, 1));
        assertTrue(nodes.select(BRANCH, 0, 10_000, 10, null).rows().isEmpty());
    }

    private static void fill(Connection c, int first, int last) throws SQLException {
        Database.update(
                c,
                "INSERT INTO history_node SELECT ?, ?, ?, n, -1, 0, ''::bytea, 'Proto3' FROM generate_series(?, ?) n",
                BRANCH.shardId(),
                BRANCH.treeId(),
                BRANCH.branchId(),
                first,
                last);
    }

    // ---- trees

    @Test
    void aBranchCanBeInsertedTwice() throws SQLException {
        HistoryTrees trees = temporal.historyTrees();
        trees.insert(new HistoryTrees.Tree(BRANCH, DATA));
        trees.insert(new HistoryTrees.Tree(BRANCH, DATA));
        trees.insert(new HistoryTrees.Tree(OTHER, DATA));
        assertEquals(
                List.of(new HistoryTrees.Tree(BRANCH, DATA), new HistoryTrees.Tree(OTHER, DATA)),
                trees.select(7, TREE));
        assertTrue(trees.delete(BRANCH));
        assertFalse(trees.delete(BRANCH));
        assertEquals(List.of(new HistoryTrees.Tree(OTHER, DATA)), trees.select(7, TREE));
        assertEquals(List.of(), trees.select(8, TREE));
    }

    @Test
    void allBranchesOfAllShardsAreListedPageByPage() throws SQLException {
        HistoryTrees trees = temporal.historyTrees();
        List<HistoryTrees.Tree> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            HistoryTrees.Tree tree =
                    new HistoryTrees.Tree(new HistoryTrees.Branch(i % 3, UUID.randomUUID(), UUID.randomUUID()), DATA);
            trees.insert(tree);
            all.add(tree);
        }
        all.sort(Comparator.comparing((HistoryTrees.Tree tree) -> tree.branch().shardId())
                .thenComparing(tree -> tree.branch().treeId().toString()));
        assertEquals(all, Pages.all(page -> trees.list(3, page)));
        assertEquals(all, Pages.all(page -> trees.list(10, page)));
    }

    @Test
    void aBranchAndItsFirstNodeAreOneTransaction() throws SQLException {
        assertThrows(
                NotFoundException.class,
                () -> temporal.run("AppendHistoryNodes", () -> {
                    temporal.historyTrees().insert(new HistoryTrees.Tree(BRANCH, DATA));
                    temporal.historyNodes().insert(BRANCH, new HistoryNodes.Node(1, 10, 0, DATA));
                    temporal.shards().writeLock(7);
                }));
        assertEquals(List.of(), temporal.historyTrees().select(7, TREE));
        assertEquals(
                List.of(),
                temporal.historyNodes().select(BRANCH, 0, 100, 10, null).rows());
    }
}
