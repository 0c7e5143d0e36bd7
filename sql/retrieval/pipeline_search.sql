-- pipeline_search: the k best documents of a query by a system that has several stages (pipeline_stages). Arguments as
-- in system_search; query_vector is by model, for the stages that read it. excluded: documents that are left out.
-- Raises the errors of pipeline_stage.
CREATE OR REPLACE FUNCTION pipeline_search(
    stages text, query text, k integer, query_vector vector, filter jsonb, model text, excluded bigint[] DEFAULT '{}'
)
RETURNS TABLE (doc bigint, score double precision)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    docs bigint[];
    scores double precision[];
    one record;
    given CONSTANT text := (vector_model(pipeline_search.model, sparse => NULL)).model;
BEGIN
    FOR one IN SELECT s.place, (pipeline_model(s.system, s.field, s.model, pipeline_search.model)).model AS model
                 FROM pipeline_stages(pipeline_search.stages) s ORDER BY s.place LOOP
        SELECT r.docs, r.scores INTO docs, scores
          FROM pipeline_stage(pipeline_search.stages, one.place, pipeline_search.query,
                              CASE one.model WHEN given THEN pipeline_search.query_vector END, pipeline_search.filter,
                              pipeline_search.model, pipeline_search.excluded, docs, scores) r;
    END LOOP;
    RETURN QUERY SELECT u.doc, u.score FROM unnest(docs[:pipeline_search.k], scores[:pipeline_search.k]) u (doc, score);
END
$$;
COMMENT ON FUNCTION pipeline_search(text, text, integer, vector, jsonb, text, bigint[]) IS
'The k best documents of a query by a system that has several stages';
