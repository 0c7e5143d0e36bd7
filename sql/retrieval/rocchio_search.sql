-- rocchio_search: dense_search with the query vector moved by rocchio_vector: towards the first fb_docs found
-- (pseudo-relevance feedback), or towards and away from judged documents.
--
--   SELECT * FROM rocchio_search(embed_query('how do voice assistants listen'), 10);
--   SELECT * FROM rocchio_search(embed_query('how do voice assistants listen'), 10, relevant => '{12, 31}',
--       nonrelevant => '{7}');
--
-- Judged documents are ranked like all others. docs/howto/improve-rankings.md explains the choice of the defaults.
-- filter and effort are those of knn; feedback documents must match the filter too. score is the cosine with the moved
-- vector. Ordered by score descending, equal scores by docno descending as bytes.
-- Raises IR104 no such document, IR105 no such model, IR106 no such field, IR201 k or fb_docs below 1, IR202 no query
-- vector, a negative weight, effort out of range or an invalid filter, IR403 a query vector of another dimension, IR405
-- no vectors.
CREATE OR REPLACE FUNCTION public.rocchio_search(
    query vector, k integer DEFAULT 100, field text DEFAULT 'abstract', model text DEFAULT NULL,
    filter jsonb DEFAULT NULL,
    fb_docs integer DEFAULT 3, alpha double precision DEFAULT 1, beta double precision DEFAULT 0.75,
    gamma double precision DEFAULT 0.15, relevant bigint[] DEFAULT NULL, nonrelevant bigint[] DEFAULT NULL,
    effort integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT s.doc, s.score, s.rank
      FROM dense_search(
               rocchio_vector(
                   rocchio_search.query, rocchio_search.field, rocchio_search.model, rocchio_search.filter,
                   rocchio_search.fb_docs,
                   rocchio_search.alpha, rocchio_search.beta, rocchio_search.gamma, rocchio_search.relevant,
                   rocchio_search.nonrelevant, rocchio_search.effort),
               rocchio_search.k, rocchio_search.field, rocchio_search.model, rocchio_search.filter,
               rocchio_search.effort) s;
END
$$;
COMMENT ON FUNCTION public.rocchio_search(
    vector, integer, text, text, jsonb, integer, double precision, double precision, double precision, bigint[],
    bigint[], integer
) IS
'The k documents nearest to a query vector moved by relevance feedback (Rocchio), from pseudo or judged relevant '
'documents';

-- The same for a vector written as a quoted literal; raises IR202 for words.
CREATE OR REPLACE FUNCTION public.rocchio_search(
    query text, k integer DEFAULT 100, field text DEFAULT 'abstract', model text DEFAULT NULL,
    filter jsonb DEFAULT NULL,
    fb_docs integer DEFAULT 3, alpha double precision DEFAULT 1, beta double precision DEFAULT 0.75,
    gamma double precision DEFAULT 0.15, relevant bigint[] DEFAULT NULL, nonrelevant bigint[] DEFAULT NULL,
    effort integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT s.doc, s.score, s.rank
      FROM rocchio_search(
             typed_vector(rocchio_search.query, 'rocchio_search'), rocchio_search.k, rocchio_search.field,
             rocchio_search.model, rocchio_search.filter, rocchio_search.fb_docs, rocchio_search.alpha,
             rocchio_search.beta, rocchio_search.gamma, rocchio_search.relevant, rocchio_search.nonrelevant,
             rocchio_search.effort) s;
END
$$;
COMMENT ON FUNCTION public.rocchio_search(
    text, integer, text, text, jsonb, integer, double precision, double precision, double precision, bigint[],
    bigint[], integer
) IS 'rocchio_search for a vector written as a quoted literal; raises IR202 for words, which embed_query converts';
