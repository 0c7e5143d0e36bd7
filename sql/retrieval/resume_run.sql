-- resume_run: find the caller's unfinished run with this name, or begin one. Returns its key and the numbers of queries
-- that were searched and of all queries. Parameters as in make_run.
--
-- changed: NULL, or the changes since then for which an unfinished run with this name was discarded. A run continues
-- only if its parameters and the state of the collection (run_state) are the same; otherwise some queries would be
-- answered by another collection than the rest.
--
-- Every check of make_run is made first, so that a long search does not end with a refusal: a row of the run is created
-- and rolled back. Unfinished runs of the caller that were begun more than 30 days ago are removed.
-- Raises the errors of begin_run.
CREATE OR REPLACE FUNCTION resume_run(
    run text, system text, depth integer, team text, replace boolean, filter jsonb, model text,
    query_set text, query_from text, chunk integer, exact boolean, scored_by jsonb,
    OUT unfinished integer, OUT done bigint, OUT queries integer, OUT changed text
)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    params jsonb := jsonb_build_object('system', resume_run.system, 'depth', resume_run.depth,
                                       'filter', resume_run.filter, 'model', resume_run.model,
                                       'query_from', resume_run.query_from, 'chunk', resume_run.chunk)
                    || CASE WHEN resume_run.query_set = 'all' THEN '{}'
                            ELSE jsonb_build_object('queries', resume_run.query_set) END
                    || CASE WHEN resume_run.exact THEN '{"exact": true}' ELSE '{}' END::jsonb
                    || CASE WHEN resume_run.scored_by IS NULL THEN '{}'
                            ELSE jsonb_build_object('scored_by', resume_run.scored_by) END;
    state jsonb;
    stored unfinished_runs;
BEGIN
    PERFORM claim_run(resume_run.run);
    IF resume_run.replace AND EXISTS (
        SELECT FROM st1_runs n
         WHERE n.run = resume_run.run COLLATE "C"
           AND (NOT row_security_active('st1_runs') OR n.team = my_team()
                OR pg_has_role(to_regrole('stc_organiser'), 'USAGE')))
    THEN
        NULL;  -- removing it, which takes long, only to find out that it can be removed would be wasteful
    ELSE
        BEGIN
            PERFORM begin_run(resume_run.run, resume_run.system, resume_run.depth, resume_run.team, false,
                              resume_run.filter, resume_run.model, resume_run.query_set, resume_run.query_from,
                              resume_run.chunk, resume_run.exact, resume_run.scored_by);
            RAISE EXCEPTION USING ERRCODE = 'STC00';
        EXCEPTION WHEN SQLSTATE 'STC00' THEN NULL;  -- rolls the row back
        END;
    END IF;
    PERFORM drop_unfinished(ARRAY(SELECT u.id FROM unfinished_runs u
                                   WHERE u.maker = current_user AND u.begun < now() - interval '30 days'));
    state := run_state(resume_run.system, resume_run.filter, resume_run.model, resume_run.query_set,
                       resume_run.query_from);
    SELECT * INTO stored FROM unfinished_runs u
     WHERE u.maker = current_user COLLATE "C" AND u.run = resume_run.run COLLATE "C";
    IF FOUND AND (stored.params, stored.state) IS DISTINCT FROM (params, state) THEN
        changed := CASE WHEN stored.params <> params THEN 'the parameters' ELSE run_changes(stored.state, state) END;
        PERFORM drop_unfinished(ARRAY[stored.id]);
        stored := NULL;
    END IF;
    IF stored.id IS NULL THEN
        INSERT INTO unfinished_runs AS u (run, maker, params, state, queries)
        SELECT resume_run.run, current_user, params, state, count(*)
          FROM run_queries(resume_run.query_set, resume_run.query_from)
        RETURNING u.* INTO stored;
    END IF;
    unfinished := stored.id;
    queries := stored.queries;
    done := (SELECT count(*) FROM unfinished_rankings r WHERE r.unfinished = stored.id);
END
$$;
COMMENT ON FUNCTION resume_run(text, text, integer, text, boolean, jsonb, text, text, text, integer, boolean, jsonb) IS
'Find the caller''s unfinished run of this name, or begin one; returns its key and the numbers of queries done and all';
