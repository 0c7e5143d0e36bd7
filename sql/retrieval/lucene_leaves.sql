-- lucene_leaves: the nodes of a Lucene query (see lucene_search) that count for the score: those under must and should,
-- not those under must_not and filter.
--
-- path: position in the query. scored: true if scored by the words of the text, false if by a constant.
CREATE OR REPLACE FUNCTION lucene_leaves(query jsonb)
RETURNS TABLE (node jsonb, path text[], boost double precision, scored boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
SET search_path = stc_all, stc, public, pg_temp
AS $$
    WITH RECURSIVE walk (node, path) AS (
        SELECT lucene_leaves.query, '{}'::text[]
         UNION ALL
        SELECT c.value, w.path || ARRAY[k.key, (c.place - 1)::text]
          FROM walk w, (VALUES ('must'), ('should')) k (key),
               jsonb_array_elements(w.node -> k.key) WITH ORDINALITY c (value, place))
    SELECT w.node, w.path, coalesce((w.node ->> 'boost')::double precision, 1),
           w.node ? 'text' AND coalesce(w.node ->> 'kind', 'word') <> 'prefix'
           AND coalesce(w.node ->> 'field', 'content') IN ('content', 'title', 'abstract')
      FROM walk w
     WHERE NOT w.node ?| '{must,filter,should,must_not}'
$$;
COMMENT ON FUNCTION lucene_leaves(jsonb) IS 'Part of lucene_search: the nodes of a query that count for the score';
