// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import org.h2.api.TableEngine;
import org.h2.command.ddl.CreateTableData;
import org.h2.engine.SessionLocal;
import org.h2.result.ResultInterface;
import org.h2.result.SimpleResult;
import org.h2.table.Column;
import org.h2.table.Table;
import org.h2.table.VirtualConstructedTable;
import org.h2.value.Value;
import org.h2.value.ValueToObjectConverter;
import org.jspecify.annotations.Nullable;

/**
 * Makes the tables of H2's that stand for the views. Public only because H2 makes it; of no use to others. Stateless.
 *
 * <p>A function of Java's behind a view of H2's would be called, and its rows copied, once for each row of the other side of
 * a join. These tables are read once for each statement, however often it looks.
 */
public final class ViewEngine implements TableEngine {

    @Override
    public Table createTable(CreateTableData data) {
        return new ViewTable(data);
    }

    private static final class ViewTable extends VirtualConstructedTable {

        private static final long FEW = 100;

        private final View view;

        ViewTable(CreateTableData data) {
            super(data.schema, data.id, data.tableName);
            this.view = View.valueOf(data.tableName.toUpperCase(Locale.ROOT));
            setColumns(data.columns.toArray(new Column[0]));
        }

        @Override
        public ResultInterface getResult(SessionLocal session) {
            Question question = Question.current();
            if (question == null) { // while other views are made of it
                return result(session, List.of());
            }
            return question.result(view, rows -> result(session, rows)).createShallowCopy(session);
        }

        private SimpleResult result(SessionLocal session, List<List<@Nullable Object>> rows) {
            SimpleResult result = new SimpleResult();
            for (Column column : getColumns()) {
                result.addColumn(column.getName(), column.getType());
            }
            for (List<@Nullable Object> row : rows) {
                Value[] values = new Value[row.size()];
                for (int i = 0; i < values.length; i++) {
                    Object value = row.get(i);
                    values[i] = ValueToObjectConverter.objectToValue(
                            session, value instanceof Instant at ? at.atOffset(ZoneOffset.UTC) : value, Value.UNKNOWN);
                }
                result.addRow(values);
            }
            return result;
        }

        /** Appends its name in the views that are made of it. */
        @Override
        public StringBuilder getSQL(StringBuilder builder, int flags) {
            return builder.append("sys.").append(getName());
        }

        /** Returns nothing: H2 writes it down, in memory, and never reads it. */
        @Override
        public String getCreateSQL() {
            return "";
        }

        @Override
        public boolean canGetRowCount(SessionLocal session) {
            return false;
        }

        @Override
        public long getRowCount(SessionLocal session) {
            return getRowCountApproximation(session);
        }

        @Override
        public long getRowCountApproximation(SessionLocal session) {
            return FEW;
        }

        @Override
        public boolean isDeterministic() {
            return false;
        }
    }
}
