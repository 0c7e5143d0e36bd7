-- stage_lists: create the temporary table incoming_lists, replacing an existing one, for the ranked lists of one run,
-- which import_run stores. Its columns are those of ranked_lists.
CREATE OR REPLACE FUNCTION stage_lists() RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
BEGIN
    DROP TABLE IF EXISTS pg_temp.incoming_lists;
    CREATE TEMP TABLE incoming_lists (
        query integer NOT NULL, first integer NOT NULL, docs bigint[] STORAGE PLAIN NOT NULL,
        rel_scores double precision[] STORAGE PLAIN NOT NULL, file_ranks integer[] STORAGE PLAIN);
END
$$;
COMMENT ON FUNCTION stage_lists() IS
    'Creates the empty temporary table incoming_lists for the ranked lists of a run, which import_run stores';
