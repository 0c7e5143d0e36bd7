-- combine_stated: a combination of measures as stored in the params of a run: complete, so that it can be repeated. For
-- weights, transforms and errors see combine_plan.
CREATE OR REPLACE FUNCTION combine_stated(weights jsonb, transforms jsonb, missing text)
RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT jsonb_build_object('missing', combine_stated.missing, 'weights', jsonb_object_agg(p.measure, p.weight),
                              'transforms', jsonb_object_agg(p.measure, p.transform))
      FROM combine_plan(combine_stated.weights, combine_stated.transforms) p
$$;
COMMENT ON FUNCTION combine_stated(jsonb, jsonb, text) IS 'Combination of measures as stored in the params of a run';
