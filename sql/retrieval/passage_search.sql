-- passage_search: the k documents with the passages nearest to a query vector; score is the max, mean or top3 of the
-- cosines of their passages (top3: the mean of the three best, or of all if there are fewer).
--
--   SELECT * FROM passage_search(embed_query('how do voice assistants listen'), 10, 'top3');
--
-- With the index on passages (see knn for filter and effort), passages are read, nearest first, until they belong to
-- enough documents, so that k documents are returned if there are k. With max the order is exact for the passages that
-- the index finds, because each document's best passage comes first. With mean and top3 only the candidates are ranked
-- exactly: the 4 · k documents (at least 100) with the best passages, ranked by all of their passages. A document whose
-- passages are all good but none of them among the best is missed. Without an index, with effort 0, or if few documents
-- match the filter (filter_few), all passages of all documents are read, which is exact for each of the three.
--
-- The passages of a document may be on several servers (documents_here). Instead of reading all, an exact search
-- without a filter then reads the nearest passages, as with an index, and more of them until the k-th document has a
-- score above the cosine of the last passage. A document that was not read has no passage nearer than that one, and
-- neither its mean nor its top3 exceeds its best passage (the threshold of Fagin, Lotem & Naor, PODS 2001).
--
-- Documents without passage vectors are not found. Ordered by score descending, equal scores by docno descending as
-- bytes.
-- Raises IR105 no such model, IR201 k below 1, IR202 another aggregate, no query vector, effort out of range or an
-- invalid filter, IR403 a query vector of another dimension, IR405 no passages, or none with a vector of the model.
CREATE OR REPLACE FUNCTION public.passage_search(
    query vector, k integer DEFAULT 100, aggregate text DEFAULT 'max', model text DEFAULT NULL,
    filter jsonb DEFAULT NULL,
    effort integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(passage_search.model);
    relation name := vector_relation(space, 'passage');
    unit vector := l2_normalize(passage_search.query);
    condition text := filter_condition(passage_search.filter);
    walked boolean;
    threshold boolean := false;
    effort integer := passage_search.effort;
    known bigint[];
    owners bigint[];
    docs bigint[];
    scores double precision[];
    wanted bigint := passage_search.k;
    fetch_n bigint;
    fetched bigint;
    passages bigint[];
    distances double precision[];
    candidates bigint[];
    most bigint;
    cut double precision;
BEGIN
    IF passage_search.k IS NULL OR passage_search.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('k is %s', coalesce(passage_search.k::text, 'NULL')),
            HINT = 'k must be 1 or more.';
    ELSIF passage_search.aggregate IS NULL OR passage_search.aggregate NOT IN ('max', 'mean', 'top3') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('there is no aggregate %s', coalesce(passage_search.aggregate, 'NULL')),
            HINT = 'The aggregates are max, mean and top3.';
    END IF;
    PERFORM check_query_vector(passage_search.query, space);

    walked := passage_search.effort IS DISTINCT FROM 0
        AND EXISTS (SELECT FROM vector_indexes i WHERE i.model = space.model AND i.field = 'passage');
    IF NOT walked AND condition IS NULL AND NOT documents_here() THEN
        threshold := true;
        walked := true;
        effort := 0;
    END IF;
    IF walked AND condition IS NOT NULL THEN
        SELECT filter_few(passage_search.k, c.reltuples) INTO most FROM pg_class c
         WHERE c.oid = to_regclass(quote_ident(relation));
        candidates := coalesce(filter_docs(passage_search.filter, 1 + most), '{}');
    END IF;
    IF cardinality(candidates) <= most THEN
        walked := false;
        fetched := cardinality(candidates);
    ELSIF walked AND passage_search.aggregate <> 'max' THEN
        wanted := greatest(100, 4 * wanted);
    END IF;
    fetch_n := 4 * wanted;
    LOOP
        WHILE walked LOOP
            fetch_n := least(fetch_n, 2147483647);
            SELECT array_agg(n.doc ORDER BY n.rank), array_agg(n.distance ORDER BY n.rank), count(*)
              INTO passages, distances, fetched
              FROM knn(unit, fetch_n::integer, 'passage', space.model, passage_search.filter, effort) n;
            -- Separately, because Citus would copy all passages found to every server to join them.
            SELECT array_agg(p.id), array_agg(p.doc) INTO known, owners
              FROM dblp_passages p WHERE p.id = ANY (passages);
            SELECT array_agg(b.doc), max(b.distance) INTO candidates, cut
              FROM (SELECT p.doc, min(u.distance) AS distance
                      FROM unnest(passages, distances) u (id, distance)
                      JOIN unnest(known, owners) p (id, doc) ON p.id = u.id
                     GROUP BY p.doc ORDER BY 2 FETCH FIRST wanted ROWS WITH TIES) b;
            -- Stop when a passage farther than the best one of the last document follows: all documents at an equal
            -- distance have then been read.
            EXIT WHEN fetched < fetch_n OR fetch_n = 2147483647
                OR cardinality(candidates) >= wanted AND distances[fetched] > cut;
            fetch_n := 4 * fetch_n;
        END LOOP;
        EXIT WHEN fetched = 0;
        EXECUTE format(
            $sql$SELECT array_agg(b.doc ORDER BY b.score DESC), array_agg(b.score ORDER BY b.score DESC)
                   FROM (SELECT c.doc, %1$s AS score
                           FROM (SELECT p.doc, 0 - (v.passage_v <#> $2) AS cosine%2$s
                                   FROM dblp_passages p JOIN %3$I v ON v.id = p.id
                                  WHERE v.passage_v IS NOT NULL AND %4$s) c
                          GROUP BY c.doc
                          ORDER BY score DESC FETCH FIRST $4 ROWS WITH TIES) b$sql$,
            CASE passage_search.aggregate WHEN 'max' THEN 'max(c.cosine)' WHEN 'mean' THEN 'avg(c.cosine)'
                                          ELSE 'avg(c.cosine) FILTER (WHERE c.place <= 3)' END,
            CASE passage_search.aggregate WHEN 'top3'
                THEN ', row_number() OVER (PARTITION BY p.doc ORDER BY v.passage_v <#> $2) AS place' END,
            relation,
            CASE WHEN fetched IS NOT NULL THEN 'p.doc = ANY ($3)'
                 WHEN condition IS NOT NULL THEN format('p.doc IN (SELECT d.id FROM dblp_facts d WHERE %s)', condition)
                 ELSE 'true' END)
           INTO docs, scores USING passage_search.filter, unit, candidates, passage_search.k;
        EXIT WHEN NOT threshold OR cardinality(candidates) < wanted OR scores[passage_search.k] >= 0 - cut;
        wanted := 4 * wanted;
        fetch_n := greatest(fetch_n, 4 * wanted);
    END LOOP;
    RETURN QUERY SELECT * FROM rank_documents(docs, scores, passage_search.k);
    IF NOT FOUND THEN
        PERFORM check_vectors(space, '{passage}');
    END IF;
END
$$;
COMMENT ON FUNCTION public.passage_search(vector, integer, text, text, jsonb, integer) IS
'The k documents with the passages nearest to a query vector; score is the max, mean or top3 of their cosines';

-- The same for a vector written as a quoted literal; raises IR202 for words.
CREATE OR REPLACE FUNCTION public.passage_search(
    query text, k integer DEFAULT 100, aggregate text DEFAULT 'max', model text DEFAULT NULL, filter jsonb DEFAULT NULL,
    effort integer DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT s.doc, s.score, s.rank
      FROM passage_search(
             typed_vector(passage_search.query, 'passage_search'), passage_search.k, passage_search.aggregate,
             passage_search.model, passage_search.filter, passage_search.effort) s;
END
$$;
COMMENT ON FUNCTION public.passage_search(text, integer, text, text, jsonb, integer) IS
'passage_search for a vector written as a quoted literal; raises IR202 for words, which embed_query converts';
