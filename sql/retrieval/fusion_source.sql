-- fusion_source: a stored run as recorded in the params of a run made from it: its name, when it was made, its file,
-- and its own params. Two records with the same name and made are the same run.
CREATE OR REPLACE FUNCTION fusion_source(run_id integer)
RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT jsonb_build_object('run', r.run, 'made', r.made, 'params', r.params)
           || CASE WHEN r.sha256 IS NULL THEN '{}' ELSE jsonb_build_object('sha256', r.sha256) END
      FROM st1_runs r WHERE r.id = fusion_source.run_id
$$;
COMMENT ON FUNCTION fusion_source(integer) IS 'Stored run as recorded in the params of a run made from it';
