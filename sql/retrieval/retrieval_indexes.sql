-- retrieval_indexes: the current indexes that a system (see system_search) reads: {"text": {…}, "title": {…},
-- "abstract": {…}}. Null if there is no index and the search is exact. Stored in the params of a run.
CREATE OR REPLACE FUNCTION retrieval_indexes(system text, model text DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    field text := split_part(retrieval_indexes.system, '-', 2);
    fields text[] := CASE WHEN retrieval_indexes.system LIKE 'conjunctive%' THEN '{text}'
                          WHEN field <> '' THEN ARRAY[field]
                          WHEN retrieval_indexes.system = 'hybrid' THEN '{text,title,title_only,abstract}'::text[]
                          ELSE '{text}'::text[] END;
    short text := (vector_model(retrieval_indexes.model)).model;
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
