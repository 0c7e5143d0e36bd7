-- fusion_source: a stored run as recorded in the params of a run made from it: its name, when it was made, its file,
-- and its own params, {} if they have more than 24 levels: the new run stores them, with a limit of 32 (is_metadata).
-- Two records with the same name and made are the same run.
CREATE OR REPLACE FUNCTION fusion_source(run_id integer)
RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT jsonb_build_object('run', r.run, 'made', r.made, 'params', plain_metadata(r.params, 24))
           || CASE WHEN r.sha256 IS NULL THEN '{}' ELSE jsonb_build_object('sha256', r.sha256) END
      FROM st1_runs r WHERE r.id = fusion_source.run_id
$$;
COMMENT ON FUNCTION fusion_source(integer) IS 'Stored run as recorded in the params of a run made from it';
