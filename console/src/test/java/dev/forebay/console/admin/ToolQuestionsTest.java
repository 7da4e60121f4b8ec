// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What tools ask when they connect and when they show what there is, in the form that they ask it. */
@Timeout(120)
final class ToolQuestionsTest {

    private static TestPort port;

    @BeforeAll
    static void start() throws Exception {
        port = new TestPort();
    }

    @AfterAll
    static void stop() {
        port.close();
    }

    private static List<String> ask(String sql) throws Exception {
        try (Connection connection = port.connect("preferQueryMode", "simple")) {
            return AdminPortJdbcTest.rows(connection, sql);
        }
    }

    private static void does(String... statements) throws Exception {
        try (Connection connection = port.connect("preferQueryMode", "simple");
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Test
    void dbeaverFindsTheViews() throws Exception {
        does("SET application_name = 'DBeaver 24 - Main'", "SET search_path = sys", "SHOW search_path");
        assertEquals(List.of("sys|admin"), ask("SELECT current_schema(),session_user"));
        assertEquals(
                1,
                ask("SELECT db.oid,db.* FROM pg_catalog.pg_database db WHERE datallowconn AND NOT datistemplate OR"
                                + " db.datname ='forebay' ORDER BY db.datname")
                        .size());
        assertEquals(
                3,
                ask("SELECT n.oid,n.*,d.description FROM pg_catalog.pg_namespace n LEFT OUTER JOIN"
                                + " pg_catalog.pg_description d ON d.objoid=n.oid AND d.objsubid=0 AND"
                                + " d.classoid='pg_namespace'::regclass ORDER BY nspname")
                        .size());
        assertEquals(
                6,
                ask("SELECT c.oid,c.*,d.description,pg_catalog.pg_get_expr(c.relpartbound, c.oid) as partition_expr,"
                                + " pg_catalog.pg_get_partkeydef(c.oid) as partition_key FROM pg_catalog.pg_class c"
                                + " LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 AND"
                                + " d.classoid='pg_class'::regclass WHERE c.relnamespace=2200 AND c.relkind not in"
                                + " ('i','I','c')")
                        .size());
        assertEquals(
                10,
                ask("SELECT c.relname,a.*,pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) as def_value,"
                                + "dsc.description,dep.objid FROM pg_catalog.pg_attribute a INNER JOIN"
                                + " pg_catalog.pg_class c ON (a.attrelid=c.oid) LEFT OUTER JOIN pg_catalog.pg_attrdef ad"
                                + " ON (a.attrelid=ad.adrelid AND a.attnum = ad.adnum) LEFT OUTER JOIN"
                                + " pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid) LEFT"
                                + " OUTER JOIN pg_depend dep on dep.refobjid = a.attrelid AND dep.deptype = 'i' and"
                                + " dep.refobjsubid = a.attnum and dep.classid = dep.refclassid WHERE NOT a.attisdropped"
                                + " AND c.relkind not in ('i','I','c') AND c.relname='remote_pool_stats' ORDER BY"
                                + " a.attnum")
                        .size());
        assertTrue(ask("SELECT t.oid,t.*,c.relkind,format_type(nullif(t.typbasetype, 0), t.typtypmod) as"
                                + " base_type_name, d.description FROM pg_catalog.pg_type t LEFT OUTER JOIN"
                                + " pg_catalog.pg_type et ON et.oid=t.typelem LEFT OUTER JOIN pg_catalog.pg_class c ON"
                                + " c.oid=t.typrelid LEFT OUTER JOIN pg_catalog.pg_description d ON t.oid=d.objoid WHERE"
                                + " t.typname IS NOT NULL AND (c.relkind IS NULL OR c.relkind = 'c') AND (et.typcategory"
                                + " IS NULL OR et.typcategory <> 'C')")
                        .size()
                > 20);
    }

    @Test
    void pgAdminConnects() throws Exception {
        does("SET DateStyle=ISO; SET client_min_messages=notice; SELECT set_config('bytea_output','hex',false) FROM"
                + " pg_show_all_settings() WHERE name = 'bytea_output'; SET client_encoding='utf-8';");
        assertEquals(
                List.of("1|forebay|t|UTF8|f|f"),
                ask("SELECT db.oid as did, db.datname, db.datallowconn, pg_encoding_to_char(db.encoding) AS"
                        + " serverencoding, has_database_privilege(db.oid, 'CREATE') as cancreate, datistemplate FROM"
                        + " pg_catalog.pg_database db WHERE db.datname = current_database()"));
        assertEquals(
                List.of("10|admin|f|f|f"),
                ask("SELECT roles.oid as id, roles.rolname as name, roles.rolsuper as is_superuser, CASE WHEN"
                        + " roles.rolsuper THEN true ELSE roles.rolcreaterole END as can_create_role, CASE WHEN"
                        + " roles.rolsuper THEN true ELSE roles.rolcreatedb END as can_create_db FROM"
                        + " pg_catalog.pg_roles as roles WHERE rolname = current_user"));
        assertEquals(
                List.of(),
                ask("SELECT gss_authenticated, encrypted FROM pg_catalog.pg_stat_gssapi WHERE pid = pg_backend_pid()"));
    }

    @Test
    void dataGripConnects() throws Exception {
        assertTrue(ask("select version()").get(0).startsWith("PostgreSQL 14.0"));
        does(
                "SET extra_float_digits = 3",
                "set session characteristics as transaction read write",
                "SHOW TRANSACTION ISOLATION LEVEL");
        assertEquals(List.of("forebay|f"), ask("select current_database() as a, pg_catalog.pg_is_in_recovery() as b"));
        assertEquals(
                List.of("forebay"),
                ask("select N.datname as name from pg_catalog.pg_database N where not datistemplate order by case when"
                        + " datname = pg_catalog.current_database() then -1::bigint else N.oid::bigint end"));
        assertTrue(ask("select N.oid::bigint as id, nspname as name, D.description from pg_catalog.pg_namespace N left"
                        + " join pg_catalog.pg_description D on N.oid = D.objoid order by case when nspname ="
                        + " pg_catalog.current_schema() then -1::bigint else N.oid::bigint end")
                .get(0)
                .contains("sys"));
    }

    @Test
    void npgsqlLoadsItsTypes() throws Exception {
        List<String> types = ask("""
                SELECT ns.nspname, t.oid, t.typname, t.typtype, t.typnotnull, t.elemtypoid
                FROM (
                    -- Arrays have typtype=b - this subquery identifies them by their typreceive and converts their typtype to a
                    SELECT typ.oid, typ.typnamespace, typ.typname, typ.typtype, typ.typrelid, typ.typnotnull, typ.relkind,
                        elemtyp.oid AS elemtypoid, elemtyp.typname AS elemtypname, elemcls.relkind AS elemrelkind,
                        CASE WHEN elemproc.proname='array_recv' THEN 'a' ELSE elemtyp.typtype END AS elemtyptype
                    FROM (
                        SELECT typ.oid, typnamespace, typname, typrelid, typnotnull, relkind, typelem AS elemoid,
                            CASE WHEN proc.proname='array_recv' THEN 'a' ELSE typ.typtype END AS typtype,
                            CASE
                                WHEN proc.proname='array_recv' THEN typ.typelem
                                WHEN typ.typtype='r' THEN rngsubtype
                                WHEN typ.typtype='m' THEN (SELECT rngtypid FROM pg_range WHERE rngmultitypid = typ.oid)
                                WHEN typ.typtype='d' THEN typ.typbasetype
                            END AS elemtypoid
                        FROM pg_type AS typ
                        LEFT JOIN pg_class AS cls ON (cls.oid = typ.typrelid)
                        LEFT JOIN pg_proc AS proc ON proc.oid = typ.typreceive
                        LEFT JOIN pg_range ON (pg_range.rngtypid = typ.oid)
                    ) AS typ
                    LEFT JOIN pg_type AS elemtyp ON elemtyp.oid = typ.elemtypoid
                    LEFT JOIN pg_class AS elemcls ON (elemcls.oid = elemtyp.typrelid)
                    LEFT JOIN pg_proc AS elemproc ON elemproc.oid = elemtyp.typreceive
                ) AS t
                JOIN pg_namespace AS ns ON (ns.oid = typnamespace)
                WHERE
                    typtype IN ('b', 'r', 'm', 'e', 'd') OR
                    (typtype = 'c' AND relkind='c') OR
                    (typtype = 'p' AND typname IN ('record', 'void', 'unknown')) OR
                    (typtype = 'a' AND (
                        elemtyptype IN ('b', 'r', 'm', 'e', 'd') OR
                        (elemtyptype = 'p' AND elemtypname IN ('record', 'void')) OR
                        (elemtyptype = 'c' AND elemrelkind='c')
                    ))
                ORDER BY CASE
                       WHEN typtype IN ('b', 'e', 'p') THEN 0
                       WHEN typtype = 'c' THEN 1
                       WHEN typtype = 'a' THEN 6
                END;
                """);
        assertTrue(types.contains("pg_catalog|23|int4|b|f|null"), types.toString());
        assertTrue(types.contains("pg_catalog|1007|_int4|a|f|23"), types.toString());
        assertEquals(
                List.of(),
                ask("SELECT pg_type.oid, enumlabel FROM pg_enum JOIN pg_type ON pg_type.oid=enumtypid ORDER BY oid,"
                        + " enumsortorder"));
        does("DISCARD ALL", "UNLISTEN *", "CLOSE ALL");
    }

    @Test
    void sqlAlchemyConnectsAndReflects() throws Exception {
        assertEquals(List.of("sys"), ask("select current_schema()"));
        does("show transaction isolation level", "show standard_conforming_strings", "select pg_catalog.version()");
        assertEquals(
                List.of("remote_pool_stats"),
                ask("SELECT pg_catalog.pg_class.relname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON"
                        + " pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace WHERE"
                        + " pg_catalog.pg_class.relname = 'remote_pool_stats' AND pg_catalog.pg_class.relkind = ANY"
                        + " (ARRAY['r', 'p', 'f', 'v', 'm']) AND"
                        + " pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND"
                        + " pg_catalog.pg_namespace.nspname != 'pg_catalog'"));
    }
}
