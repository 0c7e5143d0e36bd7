-- stage_rankings: makes the temporary tables incoming_rankings and incoming_grades (empty, if they are there already)
-- for rankings and judgments that are scored without being stored: score_incoming reads them.
--
-- Runs and queries are numbered by the caller. incoming_rankings has a row per run and query with a document: how many
-- documents were retrieved, and the ranks of the judged ones as in judged_lists. incoming_grades has a row per judged
-- query: its grades, best first.
CREATE OR REPLACE FUNCTION stage_rankings() RETURNS void
LANGUAGE plpgsql SET search_path = stc, public, pg_temp SET client_min_messages = warning AS $$
BEGIN
    DROP TABLE IF EXISTS pg_temp.incoming_rankings, pg_temp.incoming_grades;
    CREATE TEMP TABLE incoming_rankings (
        run integer NOT NULL, query integer NOT NULL, retrieved integer NOT NULL, relevant integer[] NOT NULL,
        grades smallint[] NOT NULL, irrelevant integer[] NOT NULL, pooled integer[] NOT NULL);
    CREATE TEMP TABLE incoming_grades (query integer NOT NULL, rels smallint[] NOT NULL);
END
$$;
COMMENT ON FUNCTION stage_rankings() IS
    'Makes the temporary tables incoming_rankings and incoming_grades, which score_incoming reads';
