-- rerank_check: the key of a stored run that can be reranked by vectors under these arguments (rerank_run). Reserves
-- the name of the new run for this transaction (fusion_name).
-- Raises IR101 no such run, IR105 no such model, IR106 no such field, IR201 n or depth below 1, IR202 a name that is
-- taken, IR405 no vectors.
CREATE OR REPLACE FUNCTION rerank_check(
    run text, first_stage text, field text, model text, n integer, depth integer, replace boolean
)
RETURNS integer
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    space vector_models;
    fields text[] := CASE rerank_check.field WHEN 'document' THEN '{abstract,title}' ELSE ARRAY[rerank_check.field] END;
    source integer := (fusion_runs(ARRAY[rerank_check.first_stage]))[1];
BEGIN
    PERFORM fusion_name(rerank_check.run, ARRAY[rerank_check.first_stage], rerank_check.replace);
    IF coalesce(rerank_check.field NOT IN ('document', 'title', 'abstract', 'content', 'passage'), true) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR106',
            MESSAGE = format('a run cannot be reranked by the field %s', coalesce(rerank_check.field, 'NULL')),
            HINT = 'The fields are document (the abstract, or the title without one), title, abstract, content and '
                   'passage.';
    ELSIF coalesce(rerank_check.n < 1, true) OR rerank_check.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('n is %s, depth is %s', coalesce(rerank_check.n::text, 'NULL'),
                             coalesce(rerank_check.depth::text, 'NULL')),
            HINT = 'n and depth are numbers of documents per query, 1 or more.';
    END IF;
    space := vector_model(rerank_check.model);
    PERFORM check_vectors(space, fields);
    RETURN source;
END
$$;
COMMENT ON FUNCTION rerank_check(text, text, text, text, integer, integer, boolean) IS
'Key of a stored run that can be reranked by vectors; raises an error for wrong arguments';
