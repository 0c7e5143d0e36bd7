-- retrieval_indexes: the current indexes that a system (see system_search) reads: {"text": {…}, "title": {…},
-- "abstract": {…}}; all for a system that users added. Null if there is no index and the search is exact. Stored in the
-- params of a run.
CREATE OR REPLACE FUNCTION retrieval_indexes(system text, model text DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    fields text[] := coalesce((SELECT array_remove(array_remove(b.reads, 'passages'), 'sparse') FROM product_systems() b
                                WHERE b.system = retrieval_indexes.system),
                              '{text,title,title_only,abstract,content,passage}');
    short text := (system_model(retrieval_indexes.system, retrieval_indexes.model)).model;
BEGIN
    RETURN (
        SELECT jsonb_object_agg(f.field,
                   CASE f.field WHEN 'text' THEN (
                       SELECT to_jsonb(t) - 'single' - 'stale' || jsonb_build_object('words', text_words())
                         FROM text_index t)
                   ELSE (SELECT jsonb_strip_nulls(to_jsonb(i) - 'field') FROM vector_indexes i
                          WHERE i.model = short AND i.field = f.field) END)
          FROM unnest(fields) f (field)
         WHERE f.field <> 'title_only'
            OR EXISTS (SELECT FROM vector_indexes i WHERE i.model = short AND i.field = 'title_only'));
END
$$;
COMMENT ON FUNCTION retrieval_indexes(text, text) IS
'Current indexes that a system reads, as stored in the params of a run';
