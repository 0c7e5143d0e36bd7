-- fusion_source: a stored run as the params of one made of it tell it: name, when it was made, of which file, and its
-- own params. Two runs of one name are the same run where made is the same.
CREATE OR REPLACE FUNCTION fusion_source(run_id integer)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = stc, public, pg_temp
AS $$
    SELECT jsonb_build_object('run', r.run, 'made', r.made, 'params', r.params)
           || CASE WHEN r.sha256 IS NULL THEN '{}' ELSE jsonb_build_object('sha256', r.sha256) END
      FROM st1_runs r WHERE r.id = fusion_source.run_id
$$;
COMMENT ON FUNCTION fusion_source(integer) IS 'A stored run as the params of one made of it tell it';
