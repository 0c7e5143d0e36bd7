-- stage_rankings: create the temporary tables incoming_rankings and incoming_grades, replacing existing ones, for
-- rankings and judgments that score_incoming scores without storing them.
--
-- The caller numbers runs and queries. incoming_rankings has one row per run and query with documents: the number of
-- documents retrieved, and the ranks of the judged ones as in judged_lists. incoming_grades has one row per judged
-- query: its grades, highest first.
CREATE OR REPLACE FUNCTION stage_rankings() RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
BEGIN
    DROP TABLE IF EXISTS pg_temp.incoming_rankings, pg_temp.incoming_grades;
    CREATE TEMP TABLE incoming_rankings (
        run integer NOT NULL, query integer NOT NULL, retrieved integer NOT NULL, relevant integer[] NOT NULL,
        grades smallint[] NOT NULL, irrelevant integer[] NOT NULL, pooled integer[] NOT NULL);
    CREATE TEMP TABLE incoming_grades (query integer NOT NULL, rels smallint[] NOT NULL);
END
$$;
COMMENT ON FUNCTION stage_rankings() IS
    'Creates the empty temporary tables incoming_rankings and incoming_grades for score_incoming';
