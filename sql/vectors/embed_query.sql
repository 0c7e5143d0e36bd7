-- embed_query: the vector of a query text by a model: from the cache query_v, else from the embedding service ('stc
-- serve') and then cached. The cache distinguishes texts exactly. query_to_embed selects the part of the text to embed.
--
--   SELECT * FROM dense_search(embed_query('gene editing ethics'), 10, 'abstract');
--   SELECT id FROM dblp_v ORDER BY abstract_v <#> embed_query('gene editing ethics') LIMIT 10;
--
-- STABLE, so that the planner uses a vector index for the second statement and computes the vector once for the scan.
-- All work is in query_vector, which is VOLATILE: it finds the vector that an earlier row of the statement cached.
--
-- The roles of the collection can call it. With its owner's rights it reads query_v and calls the service whose address
-- the owner has set (connect_embedding_service).
--
-- Safe because: text and model are data; it calls the one address that the owner has set, and what it stores is the
-- vector of that text.
--
-- Raises the errors of query_vector.
CREATE OR REPLACE FUNCTION public.embed_query(query text, model text DEFAULT NULL)
RETURNS vector
LANGUAGE plpgsql STABLE SECURITY DEFINER COST 10000
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN query_vector(embed_query.query, embed_query.model);
END
$$;
COMMENT ON FUNCTION public.embed_query(text, text) IS
'Vector of a query text by a model, from the cache query_v or else from the embedding service';
