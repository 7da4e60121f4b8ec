// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.local.iam.Verdict;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The roles of the database that an identity may connect as, by AWS IAM GRANT and REVOKE. Thread-safe.
 *
 * <p>The truth is in PostgreSQL, with the roles. A role that was found there is taken for good until the catalog changes, so
 * that a session that asks nothing needs no PostgreSQL. Sessions are those of their role in PostgreSQL too: what has begun as
 * a superuser's could become one again. For that, every role that may connect is given the one password that we know.
 */
final class Roles {

    /** The role that every cluster has, whose tokens are of a kind of their own. */
    static final String ADMIN = "admin";

    /** Made by the superuser. A role with a grant has rights to the schema, so PostgreSQL does not let it be dropped. */
    static final String SCHEMA = """
            CREATE TABLE sys.iam_grants (
                id bigint GENERATED ALWAYS AS IDENTITY, arn text, role oid, grantor oid NOT NULL, PRIMARY KEY (arn, role));
            CREATE VIEW sys.iam_pg_role_mappings AS
                SELECT m.id::oid AS iam_oid, m.arn, m.role AS pg_role_oid, r.rolname AS pg_role_name,
                       m.grantor AS grantor_pg_role_oid, g.rolname AS grantor_pg_role_name
                FROM sys.iam_grants m JOIN pg_roles r ON r.oid = m.role LEFT JOIN pg_roles g ON g.oid = m.grantor;
            CREATE PROCEDURE sys.iam_grant(granted text, identity text)
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
            BEGIN
                EXECUTE format('GRANT USAGE ON SCHEMA sys TO %I', granted);
                INSERT INTO sys.iam_grants (arn, role, grantor)
                    SELECT identity, r.oid, g.oid FROM pg_roles r, pg_roles g
                    WHERE r.rolname = granted AND g.rolname = session_user
                    ON CONFLICT DO NOTHING;
            END $$;
            CREATE PROCEDURE sys.iam_revoke(granted text, identity text)
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
            BEGIN
                DELETE FROM sys.iam_grants m USING pg_roles r
                    WHERE m.role = r.oid AND r.rolname = granted AND m.arn = identity;
                IF NOT EXISTS (SELECT FROM sys.iam_pg_role_mappings WHERE pg_role_name = granted) THEN
                    EXECUTE format('REVOKE USAGE ON SCHEMA sys FROM %I', granted);
                END IF;
            END $$;
            REVOKE ALL ON PROCEDURE sys.iam_grant, sys.iam_revoke FROM PUBLIC;
            GRANT EXECUTE ON PROCEDURE sys.iam_grant, sys.iam_revoke TO admin;
            GRANT SELECT ON sys.iam_pg_role_mappings TO PUBLIC;
            """;

    private final Catalog catalog;

    /** Whether a role is granted to who connects, as a condition on {@code r.oid}. */
    private final String granted;

    /** The version of the catalog in which a role was good. */
    private final Map<String, Long> good = new ConcurrentHashMap<>();

    private Roles(Catalog catalog, String granted) {
        this.catalog = catalog;
        this.granted = granted;
    }

    /** The roles that are granted to {@code identity}. */
    static Roles grantedTo(String identity, Catalog catalog) {
        return new Roles(
                catalog,
                "EXISTS (SELECT FROM sys.iam_pg_role_mappings WHERE pg_role_oid = r.oid AND arn = " + literal(identity)
                        + ")");
    }

    /** All that may log in. */
    static Roles all(Catalog catalog) {
        return new Roles(catalog, "true");
    }

    /** Goes on with {@code then} if {@code session} may be one of {@code user}, else refuses it. */
    void admit(Session session, String user, Runnable then) {
        long version = catalog.version();
        if (user.equals(ADMIN) || Long.valueOf(version).equals(good.get(user))) {
            then.run();
            return;
        }
        session.askBehind(withPassword(user, "r.rolcanlogin AND NOT r.rolsuper AND " + granted), found -> {
            if ("t".equals(found)) {
                good.put(user, version);
                then.run();
            } else {
                session.deny(new Verdict.Denied(Verdict.Denial.NO_ROLE_MAPPING, ""));
            }
        });
    }

    /** Gives a role the superuser's password, if it meets a condition on {@code r}; answers whether it does. */
    static String withPassword(String role, String condition) {
        return "UPDATE pg_authid r SET rolpassword = s.rolpassword FROM pg_authid s WHERE s.rolname = "
                + literal(BackingPostgres.SUPERUSER) + " AND r.rolname = " + literal(role) + " AND " + condition
                + " RETURNING true";
    }

    /** The text in quotes; standard_conforming_strings is on. */
    private static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
