-- chunk_search: the k best documents for an article: each of its chunks (article_chunks) is searched with a system, and
-- the rankings are fused by reciprocal ranks (fuse).
--
--   score = sum over chunks c of 1 / (60 + rank of the document for c)
--   (Cormack, Clarke & Buettcher, SIGIR 2009)
--
-- Each chunk is searched 1,000 documents deep, or k if that is more, so that the first documents do not depend on k.
-- Other parameters as in system_search. Raises IR202 chunk out of range, and the errors of system_search and fuse.
CREATE OR REPLACE FUNCTION chunk_search(
    article text, system text, k integer, filter jsonb, model text, chunk integer
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE sql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT f.doc, f.score, f.rank
      FROM fuse((SELECT array_agg((c.place::text, s.doc, s.score, s.rank)::ranked)
                   FROM unnest(article_chunks(chunk_search.article, chunk_search.chunk))
                        WITH ORDINALITY c (words, place)
                  CROSS JOIN LATERAL system_search(c.words, chunk_search.system, greatest(chunk_search.k, 1000),
                                                   filter => chunk_search.filter, model => chunk_search.model) s),
                chunk_search.k) f
$$;
COMMENT ON FUNCTION chunk_search(text, text, integer, jsonb, text, integer) IS
'The k best documents for an article: its chunks are searched and the rankings fused by reciprocal ranks';
