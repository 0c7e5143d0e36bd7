-- article_search: the k documents most like the press article of a topic: title and full text are split into chunks,
-- each chunk is searched with a system, and the rankings are fused by reciprocal ranks (chunk_search).
--
--   SELECT * FROM article_search('G01', 'bm25', 10);
--   SELECT * FROM article_search('G01', 'hybrid', 10, chunk => 0);  -- sentence by sentence
--
-- chunk: maximum number of words per chunk; 0 searches sentences. Other parameters as in system_search. A system that
-- ranks by vectors calls embed_query for each chunk.
-- Raises IR109 no such topic, IR202 chunk out of range, IR405 the topic has no article, and the errors of
-- system_search.
CREATE OR REPLACE FUNCTION public.article_search(
    topic text, system text DEFAULT 'hybrid', k integer DEFAULT 100, filter jsonb DEFAULT NULL,
    model text DEFAULT NULL, chunk integer DEFAULT 64
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT s.doc, s.score, s.rank
      FROM chunk_search(needed_article(article_search.topic), article_search.system, article_search.k,
                        article_search.filter, article_search.model, article_search.chunk) s;
END
$$;
COMMENT ON FUNCTION public.article_search(text, text, integer, jsonb, text, integer) IS
'The k documents most like the article of a topic: its chunks are searched and the rankings fused';
