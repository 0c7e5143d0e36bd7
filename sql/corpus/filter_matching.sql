-- filter_matching: the ids of all documents that match a filter, to check documents without reading their rows; {} if
-- none match, {NULL} if listing them would cost more than looking up the documents of a ranking. NULL for an empty
-- filter (NULL, {}).
--
-- k: number of documents that the search returns. few: up to this number are always listed, because a search
-- scores them directly; NULL is filter_few. Above it, up to 50,000 are listed, if a sample says that listing is faster.
-- An unlucky sample costs time, never documents.
--
-- Listing reads all rows of dblp_facts, or those of an index. Without a list, each document of the ranking is looked up
-- until k match: those are few if k is small or if many match. ACM-CR, 18,977 of 110,293 documents: listing takes 8 ms,
-- looking up 8,176 documents in the list 1.5 ms, in dblp_facts 16 ms. 39,176 documents, k = 10: bm25_search takes
-- 2.7 ms without a list, 8.4 ms with it.
--
-- Part of hybrid_search, bm25_among and knn_among. Raises the errors of filter_condition.
CREATE OR REPLACE FUNCTION filter_matching(filter jsonb, k integer, few bigint DEFAULT NULL)
RETURNS bigint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
SET enable_seqscan = on  -- bm25_among may have turned it off
AS $$
DECLARE
    condition CONSTANT text := filter_condition(filter_matching.filter);
    sample CONSTANT double precision := 2000;
    -- A row takes about 150 bytes, if the table has never been analyzed.
    rows CONSTANT double precision := (
        SELECT CASE WHEN c.reltuples > 0 THEN c.reltuples ELSE pg_relation_size(c.oid) / 150.0 END FROM pg_class c
         WHERE c.oid = 'dblp_facts'::regclass);
    gain CONSTANT double precision := least(50000, rows / 3, 10000 + 100 * filter_matching.k::bigint);
    most bigint := 1 + coalesce(filter_matching.few, filter_few(filter_matching.k, rows));
    found bigint;
    docs bigint[];
BEGIN
    IF condition IS NULL THEN
        RETURN NULL;
    END IF;
    IF most < gain THEN
        EXECUTE format('SELECT count(*) FROM dblp_facts d TABLESAMPLE SYSTEM (%s) REPEATABLE (0) WHERE %s',
                       least(100, 100 * sample / rows), condition)
           INTO found USING filter_matching.filter;
        IF found / sample * rows <= gain THEN
            most := 50001;
        END IF;
    END IF;
    EXECUTE format('SELECT array_agg(f.id) FROM (SELECT d.id FROM dblp_facts d WHERE %s LIMIT $2) f', condition)
       INTO docs USING filter_matching.filter, most;
    RETURN CASE WHEN cardinality(docs) >= most THEN '{NULL}' ELSE coalesce(docs, '{}') END;
END
$$;
COMMENT ON FUNCTION filter_matching(jsonb, integer, bigint) IS
'Ids of all documents that match a filter; {NULL} if they are too many to list';
