-- knn: the k documents nearest to a vector, by the negative inner product of pgvector's <#> (minus the cosine if both
-- vectors have length 1), nearest first, equal distances by docno descending as bytes. Field passage returns the k
-- nearest passages (dblp_passages.id).
--
-- The index built by index_vectors is used and searched until k documents are found: fewer than k are returned only if
-- fewer exist. effort: number of lists scanned for ivfflat (probes), of candidates for hnsw (ef_search) or diskann
-- (search_list_size). NULL is the effort recorded for the index (audit_vectors helps to choose it). 0 scans all
-- vectors, like a search without an index: this is exact and keeps the order of ties also at rank k. hnsw uses at most
-- 1,000, diskann 10,000.
--
-- Distances are exact even if the index stores less than the table: half precision or bits. From such an index more
-- than k candidates are read, and the nearest k are returned: k + k/10 + 10 from half precision, 500 + 20 k from bits.
--
-- filter: only documents that match it (filter_condition), and k of them if there are that many. All of them are
-- compared, which is exact, if there is no index or if few documents match: at most filter_few, plus for ivfflat the
-- number that a search without a filter scans. Otherwise the index is searched past the documents that do not match, at
-- twice the effort, because near documents are farther apart among fewer.
-- The session's settings do not change.
--
-- Raises IR105 no such model, IR106 no such field, IR201 k below 1, IR202 no query vector, effort out of range or an
-- invalid filter, IR403 a query vector of another dimension.
CREATE OR REPLACE FUNCTION public.knn(
    query vector, k integer DEFAULT 100, field text DEFAULT 'title', model text DEFAULT NULL, filter jsonb DEFAULT NULL,
    effort integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, distance double precision, rank integer)
LANGUAGE sql STABLE ROWS 100
AS $$
    SELECT n.doc, n.distance, n.rank
      FROM stc.knn_among(knn.query, knn.k, knn.field, knn.model, knn.filter, knn.effort) n
$$;
COMMENT ON FUNCTION public.knn(vector, integer, text, text, jsonb, integer) IS
'The k documents nearest to a vector by negative inner product, nearest first; filter restricts the documents';

-- The same for a vector written as a quoted literal; raises IR202 for words.
CREATE OR REPLACE FUNCTION public.knn(
    query text, k integer DEFAULT 100, field text DEFAULT 'title', model text DEFAULT NULL, filter jsonb DEFAULT NULL,
    effort integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, distance double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT s.doc, s.distance, s.rank
      FROM knn(
             typed_vector(knn.query, 'knn'), knn.k, knn.field, knn.model, knn.filter, knn.effort) s;
END
$$;
COMMENT ON FUNCTION public.knn(text, integer, text, text, jsonb, integer) IS
'knn for a vector written as a quoted literal; raises IR202 for words, which embed_query converts';
