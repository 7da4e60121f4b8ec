// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:postgresql://ID.dsql.us-east-1.on.aws/postgres?sslmode=require | id.dsql.us-east-1.on.aws:5432",
                "jdbc:postgresql://id.dsql.us-east-1.on.aws:5432/other | id.dsql.us-east-1.on.aws:5432",
                "jdbc:postgresql://localhost:5433/a | localhost:5433",
                "jdbc:postgresql:orders | localhost:5432",
                "jdbc:postgresql:///orders | localhost:5432",
                "jdbc:postgresql://b,a:5433/orders | a:5433,b:5432",
                "jdbc:postgresql://[::1]/orders | [::1]:5432",
                "jdbc:postgresql://[::1]:5433/orders | [::1]:5433",
                "jdbc:aws-wrapper:postgresql://host/orders | host:5432",
                "jdbc:mysql://app:secret@host/orders | host:3306",
                "jdbc:sqlserver://host;databaseName=orders;password=secret | host:1433",
                "jdbc:firebirdsql://host:3051/orders.fdb | host:3051",
                "jdbc:oracle:thin:scott/tiger@//host/orders | host:1521",
                "jdbc:oracle:thin:scott/tiger@host:1521:orders | host:1521:orders",
                "jdbc:h2:mem:orders;USER=sa;PASSWORD=secret | jdbc:h2:mem:orders",
                "jdbc:unknown://host/orders | host",
                "jdbc:mysql://(host=H,user=u,password=p)/db | h:3306",
                "jdbc:mysql://(port=3307,password=p@x,host=h)/db | h:3307",
                "jdbc:mysql://u:p@address=(host=b)(port=3307)(password=p),address=(host=a)/db | a:3306,b:3307",
                "jdbc:mysql://[(host=b),(port=1,host=a)]/db | a:1,b:3306",
                "jdbc:mysql://(host=::1)/db | [::1]:3306",
                "jdbc:mysql://u:pa/ss@h/db | h:3306",
                "jdbc:mysql://u:pa;ss@h/db?a=b@c | h:3306",
                "jdbc:mysql://u:p@ss@h:3307/db | h:3307",
                "jdbc:mysql://u:token==@h/db | h:3306",
                "jdbc:postgresql://host/db?user=me@example.org | host:5432",
                "jdbc:sqlserver://;serverName=X;portNumber=1444;password=p@ss | x:1444",
                "jdbc:sqlserver://;password={a;serverName=no};serverName=x | x:1433",
                "jdbc:sqlserver://x;portNumber=1444 | x:1444",
                "'jdbc:sqlserver://x\\orders;password=p' | 'x\\orders:1433'",
                "jdbc:oracle:thin:scott/ti//ger@//host/orders | host:1521",
                "jdbc:oracle:thin:@host:1521/orders?TNS_ADMIN=//a/b | host:1521/orders",
                "jdbc:oracle:thin:s/t@(DESCRIPTION=(ADDRESS=(PROTOCOL=TCP)(HOST=h)(PORT=1522))(CONNECT_DATA=(SID=o))) | h:1522",
            })
    void hostAndPortNameIt(String url, String endpoint) {
        assertEquals(endpoint, Endpoint.of(url));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mysql://(host=h,user=app,password=hunter2)/db",
                "jdbc:mysql://(user=app,password=hunter2)/db",
                "jdbc:mysql://h1,(host=h,user=app,password=hunter2)/db",
                "jdbc:mysql://address=(host=h)(user=app)(password=hunter2)/db",
                "jdbc:mysql://app:hunter2/x@h/db",
                "jdbc:mysql://app:hunter2?x@h/db",
                "jdbc:mysql://app:x?hunter2@h/db",
                "jdbc:mysql://app:hunter2;x=y@h/db",
                "jdbc:mysql://app:hunter2",
                "jdbc:oracle:thin:app/hunter2",
                "jdbc:oracle:thin:app/hunter2?x@h:1521:o",
                "jdbc:oracle:thin:app/hunter2//x@(nonsense)",
                "jdbc:sqlserver://;password=hunter2",
                "jdbc:sqlserver://h;user=app;password=x@hunter2",
                "jdbc:db2://h:50000/db:password=x@hunter2;",
                "jdbc:db2:db:user=app;password=hunter2;",
                "jdbc:teradata://h/USER=app,PASSWORD=x@hunter2",
            })
    void noNameHoldsCredentials(String url) {
        String name = Endpoint.of(url);
        assertFalse(name.contains("hunter2") || name.contains("app"), name);
        assertEquals(name, Endpoint.of(url));
    }

    @Test
    void urlsOfUnknownFormAreToldApart() {
        String name = Endpoint.of("jdbc:mysql://(user=u)/a");
        assertTrue(name.startsWith("jdbc:mysql#"), name);
        assertNotEquals(name, Endpoint.of("jdbc:mysql://(user=u)/b"));
    }
}
