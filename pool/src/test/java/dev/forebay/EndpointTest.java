// SPDX-License-Identifier: Apache-2.0
package dev.forebay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
            })
    void hostAndPortNameIt(String url, String endpoint) {
        assertEquals(endpoint, Endpoint.of(url));
    }
}
