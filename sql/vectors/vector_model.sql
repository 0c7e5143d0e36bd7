-- vector_model: the row of vector_models with this short name. NULL is the default model, whose table is dblp_v.
--
-- The default model is known even if it is not registered, so that vectors written into dblp_v by hand are searched
-- too. If dblp_v is empty and other models are registered, NULL is the first of them.
-- Raises IR105 no such model.
CREATE OR REPLACE FUNCTION vector_model(model text DEFAULT NULL)
RETURNS vector_models
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    known vector_models;
BEGIN
    -- SELECT 1: Citus cannot read rows without columns from other servers.
    SELECT * INTO known FROM vector_models m
     WHERE m.model = vector_model.model COLLATE "C"
        OR vector_model.model IS NULL AND (m.relation = 'dblp_v' OR NOT EXISTS (SELECT 1 FROM dblp_v))
     ORDER BY m.relation <> 'dblp_v', m.added LIMIT 1;
    IF known.model IS NULL AND coalesce(vector_model.model, 'minilm') = 'minilm' COLLATE "C" THEN
        known := ROW ('minilm', 'sentence-transformers/all-MiniLM-L6-v2', NULL, 384, 256, 'dblp_v', NULL, 'mean', true,
                      '', '', 'vector',
                      '{}')::vector_models;
    ELSIF known.model IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR105',
            MESSAGE = format('there are no vectors of a model %s', vector_model.model),
            HINT = format('Stored models: %s. ''stc vectors embed --model'' adds another one.',
                          coalesce((SELECT string_agg(m.model, ', ' ORDER BY m.model) FROM vector_models m), 'minilm'));
    END IF;
    RETURN known;
END
$$;
COMMENT ON FUNCTION vector_model(text) IS 'Row of an embedding model by its short name; the default model for NULL';
