// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test class with an Aurora DSQL on this machine.
 *
 * <pre>{@code
 * @WithLocalDsql
 * class OrdersTest {
 *     @Test
 *     void anOrderIsKept(DataSource dataSource) { … }
 * }
 * }</pre>
 *
 * <p>Parameters, and fields that are neither static nor final, of these types are injected: {@link javax.sql.DataSource}, whose
 * connections are those of {@code admin} in a schema made for this one test; and {@link dev.forebay.local.LocalDsql}, the
 * server, to inject faults. Only the server can be had in {@code @BeforeAll}, where there is no test yet.
 *
 * <p>Classes that ask for the same numbers share a server, which ends with the run. After each test its schema is dropped,
 * connections of its data source that are still open are closed, faults are cleared, and the numbers are those given here
 * again; so tests that inject faults are not to run side by side with others.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(LocalDsqlExtension.class)
public @interface WithLocalDsql {

    /** New connections a second. */
    double rate() default 100;

    /** New connections that may be saved up; making the schema of a test takes none. */
    long burst() default 1_000;

    /** Open connections. */
    int maxConnections() default 10_000;

    /** The lifetime of a connection, as in {@code 60m} or {@code 1.5s}. */
    String lifetime() default "60m";

    /** The time by which it outlives that in a transaction. */
    String grace() default "5m";
}
