-- check_vectors: raise an error if a model has no vectors of any of these fields.
-- Raises IR405 no vectors.
CREATE OR REPLACE FUNCTION check_vectors(space vector_models, fields text[])
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM unnest(check_vectors.fields) f (field) WHERE NOT vectors_missing(space, f.field)) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = CASE WHEN cardinality(check_vectors.fields) > 1
                               THEN format('there are no vectors of %s', space.model)
                           WHEN check_vectors.fields <> '{passage}'
                               THEN format('there are no %s vectors of %s', check_vectors.fields[1], space.model)
                           WHEN EXISTS (SELECT 1 FROM dblp_passages LIMIT 1)
                               THEN format('no passage has a vector of %s', space.model)
                           ELSE 'there are no passages' END,
            HINT = CASE WHEN check_vectors.fields = '{passage}' THEN 'Create them with ''stc vectors passages''.'
                        WHEN cardinality(check_vectors.fields) > 1 THEN 'Compute them with ''stc vectors embed''.'
                        ELSE format('Compute them with ''stc vectors embed --field %s''.', check_vectors.fields[1]) END;
    END IF;
END
$$;
COMMENT ON FUNCTION check_vectors(vector_models, text[]) IS
'Raise an error if a model has no vectors of any of these fields';
