-- vector_model: the row of vector_models with this short name. NULL is the default model, whose table is dblp_v.
--
-- The default model is known even if it is not registered, so that vectors written into dblp_v by hand are searched
-- too. If dblp_v is empty and other models are registered, NULL is the first of them.
--
-- sparse: the kind of model that the caller reads: false, of dense vectors; true, of sparse ones (sparse_search), of
-- which NULL is the first; NULL: of both.
-- Raises IR105 no such model, IR202 a model of the other kind, IR405 no sparse model.
CREATE OR REPLACE FUNCTION vector_model(model text DEFAULT NULL, sparse boolean DEFAULT false)
RETURNS vector_models
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    known vector_models;
BEGIN
    IF vector_model.model IS NULL AND vector_model.sparse THEN
        SELECT * INTO known FROM vector_models m WHERE m.storage = 'sparsevec' ORDER BY m.added, m.model LIMIT 1;
        IF NOT FOUND THEN
            PERFORM check_corpus();
            RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'there are no sparse vectors',
                HINT = 'Compute them with ''stc vectors embed --model'' and a sparse model, or import them with '
                       '''stc load --as vectors''.';
        END IF;
        RETURN known;
    END IF;
    SELECT * INTO known FROM vector_models m
     WHERE m.model = vector_model.model COLLATE "C" OR vector_model.model IS NULL AND m.relation = 'dblp_v';
    -- dblp_v is read only if there are other models: embed_query calls this as the owner, who may not be able to log
    -- in to other servers. SELECT 1, because Citus cannot read rows without columns.
    IF known.model IS NULL AND vector_model.model IS NULL AND EXISTS (SELECT FROM vector_models) THEN
        SELECT * INTO known FROM vector_models m
         WHERE NOT EXISTS (SELECT 1 FROM dblp_v LIMIT 1) AND m.storage <> 'sparsevec' ORDER BY m.added LIMIT 1;
    END IF;
    IF known.model IS NULL AND coalesce(vector_model.model, 'minilm') = 'minilm' COLLATE "C" THEN
        known := ROW ('minilm', 'sentence-transformers/all-MiniLM-L6-v2', NULL, 384, 256, 'dblp_v', NULL, 'mean', true,
                      '', '', 'vector',
                      '{}', NULL)::vector_models;
    ELSIF known.model IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR105',
            MESSAGE = format('there are no vectors of a model %s', vector_model.model),
            HINT = format('Stored models: %s. ''stc vectors embed --model'' adds another one.',
                          coalesce((SELECT string_agg(m.model, ', ' ORDER BY m.model) FROM vector_models m), 'minilm'));
    END IF;
    IF vector_model.sparse <> (known.storage = 'sparsevec') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s is a %s model', known.model,
                             CASE WHEN vector_model.sparse THEN 'dense' ELSE 'sparse' END),
            HINT = CASE WHEN vector_model.sparse THEN 'Name a sparse model; ''stc show models'' lists the models.'
                        ELSE 'Use sparse_search or the system sparse, which read sparse vectors, or name another '
                             'model.' END;
    END IF;
    RETURN known;
END
$$;
COMMENT ON FUNCTION vector_model(text, boolean) IS
'Row of an embedding model by its short name; the default model for NULL';
