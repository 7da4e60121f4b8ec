// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

// spotless:off
import java.sql.Connection;
import java.util.concurrent.Callable;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.Configuration;
import org.flywaydb.core.internal.database.base.Database;
import org.flywaydb.core.internal.database.base.Table;
import org.flywaydb.core.internal.jdbc.JdbcConnectionFactory;
import org.flywaydb.core.internal.jdbc.StatementInterceptor;
import org.flywaydb.database.postgresql.PostgreSQLConnection;
import org.flywaydb.database.postgresql.PostgreSQLDatabase;
import org.flywaydb.database.postgresql.PostgreSQLDatabaseType;

/** Aurora DSQL for Flyway: PostgreSQL, without what DSQL refuses. */
public final class DsqlDatabaseType extends PostgreSQLDatabaseType {

    @Override
    public int getPriority() {
        return 1; // before PostgreSQL
    }

    @Override
    public Database<?> createDatabase(
            Configuration configuration, JdbcConnectionFactory connections, StatementInterceptor interceptor) {
        return new PostgreSQLDatabase(configuration, connections, interceptor) {
            @Override
            protected PostgreSQLConnection doGetConnection(Connection connection) {
                return new DsqlConnection(this, connection);
            }

            @Override
            public boolean supportsDdlTransactions() {
                return false;
            }

            @Override
            public boolean useSingleConnection() {
                return false; // a migration's DDL and the history's DML are two transactions
            }

            @Override
            public String getRawCreateScript(Table table, boolean baseline) {
                if (baseline) { // its row would have to be written in the transaction of the DDL
                    throw new UnsupportedOperationException("baseline is not supported on Aurora DSQL");
                }
                String script = super.getRawCreateScript(table, false);
                return script.substring(0, script.indexOf("ALTER TABLE")) // one DDL statement, with its key
                        .replace("\"installed_rank\" INT NOT NULL", "\"installed_rank\" INT PRIMARY KEY");
            }
        };
    }

    private static final class DsqlConnection extends PostgreSQLConnection {

        DsqlConnection(PostgreSQLDatabase database, Connection connection) {
            super(database, connection);
        }

        @Override
        protected void doRestoreOriginalState() {} // would SET ROLE

        @Override
        public <T> T lock(Table table, Callable<T> work) { // there are no advisory locks
            try {
                return work.call();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new FlywayException("the migration failed", e);
            }
        }
    }
}
// spotless:on
