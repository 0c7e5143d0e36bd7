-- hybrid_search: reciprocal rank fusion of several rankings of one query.
--
--   score(doc) = sum over the rankers that have it of 1 / (constant + rank)
--                (Cormack, Clarke & Büttcher, SIGIR 2009, who take the constant 60)
--
-- rankers: any of bm25, boolean, title and abstract (dense_search on that field) and document (dense_document_search); each gives
-- its first depth documents. bm25 with document was best, or next to it, on CACM, Cranfield and the demo's train queries.
-- query_vector: the query's embedding by the default model; NULL takes the remembered one (embed_query), if a ranker needs it.
-- Score descending, equal scores by docno descending as bytes.
-- Raises IR107 no such ranker, IR201 k or depth below 1, IR202 no ranker or a negative constant, and what the rankers raise:
-- IR401 and IR402 the text index, IR405 no vector of the query or of any document.
CREATE OR REPLACE FUNCTION hybrid_search(
    query text, k integer DEFAULT 100, query_vector vector DEFAULT NULL, rankers text[] DEFAULT '{bm25,document}',
    depth integer DEFAULT 1000, constant integer DEFAULT 60
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    unknown text;
    asked vector := hybrid_search.query_vector;
BEGIN
    SELECT r INTO unknown FROM unnest(hybrid_search.rankers) r
     WHERE r IS NULL OR r NOT IN ('bm25', 'boolean', 'title', 'abstract', 'document') LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR107', MESSAGE = format('there is no ranker %s', coalesce(unknown, 'NULL')),
            HINT = 'The rankers are bm25, boolean, title, abstract and document.';
    ELSIF coalesce(cardinality(hybrid_search.rankers), 0) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = 'no rankers to fuse',
            HINT = 'The rankers are bm25, boolean, title, abstract and document.';
    ELSIF hybrid_search.k IS NULL OR hybrid_search.k < 1 OR hybrid_search.depth IS NULL OR hybrid_search.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('k is %s, depth %s', coalesce(hybrid_search.k::text, 'NULL'),
                             coalesce(hybrid_search.depth::text, 'NULL')),
            HINT = 'Both are 1 or more.';
    ELSIF hybrid_search.constant IS NULL OR hybrid_search.constant < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the constant is %s', coalesce(hybrid_search.constant::text, 'NULL')),
            HINT = 'It is 0 or more; 60 is usual.';
    END IF;
    IF hybrid_search.rankers && '{title,abstract,document}' AND asked IS NULL THEN
        asked := embed_query(hybrid_search.query);
    END IF;
    -- A ranker that is not asked for is not run. The parts of a sum are added in one order, so that equal sums are equal.
    RETURN QUERY
    SELECT f.doc, f.score, row_number() OVER (ORDER BY f.score DESC, d.docno DESC)::integer
      FROM (SELECT r.doc, sum(1 / (hybrid_search.constant + r.rank)::double precision ORDER BY r.rank) AS score
              FROM (SELECT b.doc, b.rank FROM bm25_search(hybrid_search.query, hybrid_search.depth) b
                     WHERE 'bm25' = ANY (hybrid_search.rankers)
                    UNION ALL
                    SELECT a.doc, a.rank FROM boolean_search(hybrid_search.query, hybrid_search.depth) a
                     WHERE 'boolean' = ANY (hybrid_search.rankers)
                    UNION ALL
                    SELECT n.doc, n.rank
                      FROM unnest('{title,abstract}'::text[]) field, dense_search(asked, hybrid_search.depth, field) n
                     WHERE field = ANY (hybrid_search.rankers)
                    UNION ALL
                    SELECT n.doc, n.rank FROM dense_document_search(asked, hybrid_search.depth) n
                     WHERE 'document' = ANY (hybrid_search.rankers)) r
             GROUP BY r.doc) f
      LEFT JOIN dblp d ON d.id = f.doc  -- LEFT: the rankers are to be asked also where dblp is empty, and to say so
     ORDER BY 3 LIMIT hybrid_search.k;
END
$$;
COMMENT ON FUNCTION hybrid_search(text, integer, vector, text[], integer, integer) IS
'Reciprocal rank fusion of BM25, boolean and dense rankings of a query';
