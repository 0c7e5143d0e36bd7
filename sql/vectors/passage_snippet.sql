-- passage_snippet: the n passages of a document nearest to a query vector, nearest first; by default the nearest one.
--
--   SELECT s.doc, s.rank, p.passage FROM passage_search(:v, 10) s, LATERAL passage_snippet(s.doc, :v) p;
--
-- place is the position in the abstract, from 1; score is the cosine. Equal scores are ordered by place. No rows for a
-- document without passage vectors.
-- Raises IR105 no such model, IR201 n below 1, IR202 no query vector, IR403 a query vector of another dimension.
CREATE OR REPLACE FUNCTION public.passage_snippet(doc bigint, query vector, n integer DEFAULT 1,
                                                  model text DEFAULT NULL)
RETURNS TABLE (place integer, passage text, score double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    space vector_models := vector_model(passage_snippet.model);
BEGIN
    IF passage_snippet.n IS NULL OR passage_snippet.n < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('n is %s', coalesce(passage_snippet.n::text, 'NULL')),
            HINT = 'n must be 1 or more.';
    END IF;
    PERFORM check_query_vector(passage_snippet.query, space);
    RETURN QUERY EXECUTE format(
        $sql$SELECT s.place, s.passage, s.score
               FROM (SELECT p.position AS place, p.text AS passage, 0 - (v.passage_v <#> $2) AS score
                       FROM dblp_passages p JOIN %I v ON v.id = p.id
                      WHERE p.doc = $1 AND v.passage_v IS NOT NULL) s
              ORDER BY s.score DESC, s.place LIMIT $3$sql$,
        vector_relation(space, 'passage'))
    USING passage_snippet.doc, l2_normalize(passage_snippet.query), passage_snippet.n;
END
$$;
COMMENT ON FUNCTION public.passage_snippet(bigint, vector, integer, text) IS
'The n passages of a document nearest to a query vector, nearest first; score is the cosine';

-- The same for a vector written as a quoted literal; raises IR202 for words.
CREATE OR REPLACE FUNCTION public.passage_snippet(doc bigint, query text, n integer DEFAULT 1, model text DEFAULT NULL)
RETURNS TABLE (place integer, passage text, score double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT s.place, s.passage, s.score
      FROM passage_snippet(passage_snippet.doc, typed_vector(passage_snippet.query, 'passage_snippet'),
                           passage_snippet.n,
                           passage_snippet.model) s;
END
$$;
COMMENT ON FUNCTION public.passage_snippet(bigint, text, integer, text) IS
'passage_snippet for a vector written as a quoted literal; raises IR202 for words, which embed_query converts';
