-- llm_pairs: pairs of query and document that a language model should judge, each once, in the order in which to query
-- it.
--
-- There is one source: a pool; like_edition, the pairs judged in that edition (without its expansion by neighbours and
-- without negative grades); or runs, their first depth documents ('{}' means all runs). missing omits pairs that the
-- edition already judges, by any annotator. missing without a source selects the unjudged top documents of all runs,
-- for the queries that the edition judges. query_set: only the queries of a set (query_set).
--
-- Order: the first document of every query, then the second of every query, and so on, so that a run that is stopped
-- early has covered all queries evenly. Documents of a query come in the order of the pool, by the best rank of any
-- run, or, for an edition, by the MD5 of names.
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query or set, IR110 no such pool, IR201 depth below 1,
-- IR202 no source or several, IR405 missing without a source, for an edition that judges no query.
CREATE OR REPLACE FUNCTION llm_pairs(
    edition text, pool text DEFAULT NULL, like_edition text DEFAULT NULL, runs text[] DEFAULT NULL,
    depth integer DEFAULT 10,
    missing boolean DEFAULT false, query_set text DEFAULT 'all')
RETURNS TABLE (query integer, doc bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer := (SELECT e.id FROM qrels_editions e WHERE e.edition = llm_pairs.edition COLLATE "C");
    like_id integer;
    pool_id integer;
    run_ids integer[] := '{}';
    holes boolean := false;
BEGIN
    IF num_nonnulls(llm_pairs.pool, llm_pairs.like_edition, llm_pairs.runs) > 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'several sources of pairs to judge',
            HINT = 'Name only one: a pool, an edition, or runs.';
    ELSIF num_nonnulls(llm_pairs.pool, llm_pairs.like_edition, llm_pairs.runs) = 0 THEN
        IF llm_pairs.missing IS NOT TRUE THEN
            RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'no source of pairs to judge',
                HINT = 'Name a pool, an edition, or runs; or use missing to judge unjudged top documents of all runs.';
        END IF;
        holes := true;
    END IF;
    IF llm_pairs.pool IS NOT NULL THEN
        pool_id := pool_key(llm_pairs.pool);
    ELSIF llm_pairs.like_edition IS NOT NULL THEN
        like_id := edition_key(llm_pairs.like_edition);
    ELSIF holes THEN
        PERFORM edition_key(llm_pairs.edition);
    END IF;
    IF holes OR llm_pairs.runs IS NOT NULL THEN
        IF llm_pairs.depth IS NULL OR llm_pairs.depth < 1 THEN
            RAISE EXCEPTION USING ERRCODE = 'IR201',
                MESSAGE = format('the depth is %s', coalesce(llm_pairs.depth::text, 'NULL')),
                HINT = 'The depth is the number of ranks taken from each run; it must be 1 or more.';
        END IF;
        run_ids := run_keys(llm_pairs.runs);
    END IF;
    IF holes AND NOT EXISTS (SELECT FROM qrels_judgments j WHERE j.edition = edition_id) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = format('edition %s judges no query', llm_pairs.edition),
            HINT = 'missing needs an edition that judges queries; for a new edition name a pool, an edition, or runs.';
    END IF;

    RETURN QUERY
    SELECT c.query, c.doc
      FROM (SELECT p.query, p.doc, p.position::bigint AS place FROM qrels_pool_documents p WHERE p.pool = pool_id
             UNION ALL
            SELECT j.query, j.doc, row_number() OVER (PARTITION BY j.query
                                                      ORDER BY md5(q.query || ' ' || d.docno) COLLATE "C")
              FROM qrels j JOIN st1_queries q ON q.id = j.query JOIN dblp d ON d.id = j.doc
             WHERE j.edition = like_id AND j.rel >= 0 AND j.origin <> 'knn'
             UNION ALL
            SELECT r.query, r.doc, row_number() OVER (PARTITION BY r.query
                                                      ORDER BY r.best, md5(q.query || ' ' || d.docno) COLLATE "C")
              FROM (SELECT l.query, u.doc, min(l.first - 1 + u.place) AS best
                      FROM ranked_lists l
                     CROSS JOIN LATERAL unnest(l.docs[:llm_pairs.depth - l.first + 1]) WITH ORDINALITY AS u (doc, place)
                     WHERE l.run = ANY (run_ids) AND l.first <= llm_pairs.depth
                     GROUP BY l.query, u.doc) r
              JOIN st1_queries q ON q.id = r.query JOIN dblp d ON d.id = r.doc
             WHERE NOT holes OR EXISTS (SELECT FROM qrels_judgments j
                                         WHERE j.edition = edition_id AND j.query = r.query)) c
      JOIN st1_queries q ON q.id = c.query
     WHERE (llm_pairs.missing IS NOT TRUE OR NOT EXISTS (
           SELECT FROM qrels_judgments j
            WHERE j.edition = edition_id AND j.query = c.query AND j.doc = c.doc AND j.rel >= 0))
       AND (llm_pairs.query_set = 'all' OR c.query IN (SELECT unnest(query_set_ids(llm_pairs.query_set))))
     ORDER BY c.place, q.query, c.doc;
END
$$;
COMMENT ON FUNCTION llm_pairs(text, text, text, text[], integer, boolean, text) IS
    'Pairs of query and document that a language model should judge: from a pool, an edition, runs, or the '
    'unjudged top of all runs';
