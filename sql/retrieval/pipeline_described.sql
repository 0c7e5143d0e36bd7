-- pipeline_described: the stages of a system (pipeline_stages) as the params of a run record them: a list of stage, n,
-- and the model with its name and revision.
--
-- scored_by: descriptions of the cross-encoders by place, as the program that runs them gives them.
CREATE OR REPLACE FUNCTION pipeline_described(stages text, model text, scored_by jsonb DEFAULT NULL)
RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('stage', s.stage, 'n', s.n, 'model', (p.m).model,
                         'reranker', CASE WHEN s.cross_encoder IS NOT NULL
                                          THEN pipeline_described.scored_by -> s.place::text
                                          WHEN (p.m).model IS NOT NULL
                                          THEN jsonb_build_object('model', (p.m).name, 'revision', (p.m).revision,
                                                                  'dim', (p.m).dim) END)) ORDER BY s.place)
      FROM pipeline_stages(pipeline_described.stages) s
     CROSS JOIN LATERAL (SELECT pipeline_model(s.system, s.field, s.model, pipeline_described.model)) p (m)
$$;
COMMENT ON FUNCTION pipeline_described(text, text, jsonb) IS 'Stages of a system as the params of a run record them';
