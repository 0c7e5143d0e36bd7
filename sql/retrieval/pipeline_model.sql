-- pipeline_model: the row of the embedding model that a stage reads (pipeline_stages): the named one, else model, if it
-- is of the kind that the stage reads. NULL for a stage that reads no vectors.
-- Raises the errors of vector_model.
CREATE OR REPLACE FUNCTION pipeline_model(system text, field text, named text, model text)
RETURNS vector_models
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT CASE WHEN pipeline_model.field IS NOT NULL OR EXISTS (
                    SELECT FROM systems s WHERE s.system = pipeline_model.system AND s.vector)
                THEN vector_model(ranker_model(
                    CASE pipeline_model.system WHEN 'sparse' THEN 'sparse' ELSE 'document' END
                    || coalesce(':' || pipeline_model.named, ''), pipeline_model.model), sparse => NULL) END
$$;
COMMENT ON FUNCTION pipeline_model(text, text, text, text) IS 'Row of the embedding model that a stage reads';
