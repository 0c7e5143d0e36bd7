-- combine_stated: a stated combination as params of a run tell it: enough to make it again. For weights and transforms,
-- and the errors, see combine_plan.
CREATE OR REPLACE FUNCTION combine_stated(weights jsonb, transforms jsonb, missing text)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = stc, public, pg_temp
AS $$
    SELECT jsonb_build_object('missing', combine_stated.missing, 'weights', jsonb_object_agg(p.measure, p.weight),
                              'transforms', jsonb_object_agg(p.measure, p.transform))
      FROM combine_plan(combine_stated.weights, combine_stated.transforms) p
$$;
COMMENT ON FUNCTION combine_stated(jsonb, jsonb, text) IS 'A stated combination as params of a run tell it';
