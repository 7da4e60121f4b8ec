// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.local.sql.Statement;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * The jobs of Aurora DSQL, as it shows them in {@code sys.jobs}. Here the work is done when the statement returns, so its job is
 * completed as soon as it is known. Thread-safe.
 */
final class Jobs {

    /** The characters of an id. */
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

    private static final int LENGTH = 26;

    /** Made by the superuser, so that everyone may look and only the server may add. */
    static final String SCHEMA = """
            CREATE SCHEMA sys;
            CREATE TABLE sys.all_jobs (
                job_id text PRIMARY KEY, status text NOT NULL, details text, job_type text NOT NULL, class_id oid,
                object_id oid, object_name text, start_time timestamptz NOT NULL, update_time timestamptz);
            CREATE VIEW sys.jobs AS SELECT * FROM sys.all_jobs;
            CREATE FUNCTION sys.add_index_job(id text) RETURNS void LANGUAGE sql SECURITY DEFINER AS $$
                INSERT INTO sys.all_jobs
                    SELECT id, 'completed', NULL, 'INDEX_BUILD', 'pg_class'::regclass, c.oid, n.nspname || '.' || c.relname,
                        now(), now()
                    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                    WHERE c.relkind = 'i' ORDER BY c.oid DESC LIMIT 1 $$;
            CREATE FUNCTION sys.add_validation_job(id text) RETURNS void LANGUAGE sql SECURITY DEFINER AS $$
                INSERT INTO sys.all_jobs VALUES
                    (id, 'completed', NULL, 'VALIDATE_CONSTRAINT', 'pg_constraint'::regclass, NULL, NULL, now(), now()) $$;
            CREATE PROCEDURE sys.wait_for_job(job text) LANGUAGE plpgsql AS $$
            BEGIN
                IF job !~ '^[a-z2-7]{26}$' THEN
                    RAISE EXCEPTION 'Unable to convert text to UUID' USING ERRCODE = '22P02';
                END IF;
                IF NOT EXISTS (SELECT 1 FROM sys.jobs WHERE job_id = job) THEN
                    RAISE EXCEPTION 'Job with ID % not found', job USING ERRCODE = '42704';
                END IF;
            END $$;
            GRANT USAGE ON SCHEMA sys TO PUBLIC;
            GRANT SELECT ON sys.jobs TO PUBLIC;
            """;

    private final RandomGenerator random;

    /** Jobs whose ids come from {@code random}, which threads may share. */
    Jobs(RandomGenerator random) {
        this.random = random;
    }

    /** Records a job for {@code statement}, in its transaction; {@code then} gets its id, or {@code failed} the reason. */
    void add(Session session, Statement statement, Consumer<String> then, Consumer<Failure> failed) {
        String id = id();
        String sql = "SELECT sys." + (isIndex(statement) ? "add_index_job" : "add_validation_job") + "('" + id + "')";
        new Exchange(session.backend())
                .commandAndSync(sql, Answers.of(Answers.End.READY, answers -> {
                    if (answers.failure() == null) {
                        then.accept(id);
                    } else {
                        failed.accept(answers.failure());
                    }
                }))
                .send();
    }

    /** The command tag that a client gets. */
    static String tag(Statement statement) {
        return isIndex(statement) ? "CREATE INDEX" : "ALTER TABLE";
    }

    private static boolean isIndex(Statement statement) {
        return statement.command().equals("CREATE");
    }

    private String id() {
        StringBuilder id = new StringBuilder(LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            id.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return id.toString();
    }
}
