-- ranker_model: the short name of the model of a ranker of hybrid_search that uses vectors: the one that it names
-- (title:mpnet), else model, which the other kind of rankers ignores: sparse uses the first sparse model then.
-- Raises the errors of vector_model.
CREATE OR REPLACE FUNCTION ranker_model(ranker text, model text)
RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    named CONSTANT text := nullif(split_part(ranker_model.ranker, ':', 2), '');
    sparse CONSTANT boolean := split_part(ranker_model.ranker, ':', 1) = 'sparse';
BEGIN
    RETURN (vector_model(CASE
        WHEN named IS NOT NULL THEN named
        WHEN sparse = ((vector_model(ranker_model.model, sparse => NULL)).storage = 'sparsevec') THEN ranker_model.model
        END, sparse)).model;
END
$$;
COMMENT ON FUNCTION ranker_model(text, text) IS
'Short name of the model of a ranker of hybrid_search that uses vectors';
