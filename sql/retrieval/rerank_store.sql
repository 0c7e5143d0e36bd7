-- rerank_store: store a run that reorders another one: first the documents with a new score, ordered by it, then the
-- others in their previous order.
--
-- queries, docs, scores: the new scores, for documents of the first stage. The other documents of a query follow in the
-- order of the first stage, with scores below the lowest new one, 1 apart (or more, if scores are so large that single
-- precision could not distinguish them). A query without new scores does not change. Ranked by trec_eval 9's rule:
-- score in single precision descending, equal scores by docno descending as bytes.
--
-- first_stage: st1_runs.id. depth: maximum number of documents per query, NULL all. params are stored, with first_stage
-- added (fusion_source).
-- Raises IR101 the first stage was dropped, IR201 depth below 1, IR202 a name that is taken (fusion_name), or a score
-- that is not finite.
CREATE OR REPLACE FUNCTION rerank_store(
    run text, first_stage integer, queries integer[], docs bigint[], scores double precision[], params jsonb,
    depth integer DEFAULT NULL, replace boolean DEFAULT false
)
RETURNS TABLE (stored_queries bigint, ranked bigint)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    source text;
    run_id integer;
    part integer[];
BEGIN
    IF has_any_column_privilege('st1_runs', 'UPDATE') THEN  -- required to lock a row
        PERFORM FROM st1_runs r WHERE r.id = rerank_store.first_stage FOR SHARE;
    END IF;
    SELECT r.run INTO source FROM st1_runs r WHERE r.id = rerank_store.first_stage;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR101',
            MESSAGE = 'the first stage was dropped or replaced while it was reranked',
            HINT = 'Run the same command again to rerank the current run.';
    ELSIF rerank_store.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('depth is %s', rerank_store.depth),
            HINT = 'depth must be 1 or more.';
    END IF;
    PERFORM check_reranked(rerank_store.scores);
    PERFORM fusion_name(rerank_store.run, ARRAY[source], rerank_store.replace);
    PERFORM drop_runs(ARRAY[rerank_store.run]);  -- the run exists only if it may be replaced
    INSERT INTO st1_runs (run, tag, family, params)
    VALUES (rerank_store.run, rerank_store.run, 'rerank',
            rerank_store.params || jsonb_build_object('first_stage', fusion_source(rerank_store.first_stage)))
    RETURNING id INTO run_id;
    FOR part IN SELECT * FROM run_parts(ARRAY[rerank_store.first_stage]) LOOP
        INSERT INTO ranked_lists (run, query, first, docs, rel_scores)
        WITH reranked AS MATERIALIZED (
            SELECT s.query, s.doc, s.score, rank() OVER ranking AS place,
                   count(*) OVER ranking > rank() OVER ranking AS tied
              FROM (SELECT s.query, s.doc, s.score, trec_score(s.score) AS single
                      FROM (SELECT k.query, k.doc,
                                   CASE WHEN k.score IS NOT NULL THEN k.score
                                        WHEN k.lowest IS NULL THEN k.rel_score
                                        ELSE score_below(k.lowest, k.below) END AS score
                              FROM (SELECT k.query, k.doc, k.rel_score, k.score,
                                           min(k.score) OVER (PARTITION BY k.query) AS lowest,
                                           count(*) FILTER (WHERE k.score IS NULL) OVER (PARTITION BY k.query
                                                                                         ORDER BY k.rank) AS below
                                      FROM (SELECT k.query, k.doc, k.rank, k.rel_score, u.score
                                              FROM st1_rankings k
                                              LEFT JOIN unnest(rerank_store.queries, rerank_store.docs,
                                                               rerank_store.scores) AS u (query, doc, score)
                                                   ON u.query = k.query AND u.doc = k.doc
                                             WHERE k.run = rerank_store.first_stage AND k.query = ANY (part)
                                            OFFSET 0) k) k  -- else the sort has the arrays of ranked_lists
                             OFFSET 0) s
                    OFFSET 0) s
            WINDOW ranking AS (PARTITION BY s.query ORDER BY s.single DESC)),
        named AS MATERIALIZED (  -- as in fuse_runs
            SELECT n.doc, n.docno
              FROM (SELECT ARRAY(SELECT DISTINCT r.doc FROM reranked r WHERE r.tied) AS docs OFFSET 0) t
             CROSS JOIN LATERAL unnest(t.docs, docnos(t.docs)) n (doc, docno))
        SELECT run_id, f.query, min(f.rank), array_agg(f.doc ORDER BY f.rank), array_agg(f.score ORDER BY f.rank)
          FROM (SELECT r.query, r.doc, r.score,
                       row_number() OVER (PARTITION BY r.query ORDER BY r.place, n.docno COLLATE "C" DESC)::integer
                           AS rank
                  FROM reranked r LEFT JOIN named n ON n.doc = r.doc AND r.tied) f
         WHERE rerank_store.depth IS NULL OR f.rank <= rerank_store.depth
         GROUP BY f.query, list_part(f.rank) ORDER BY 2, 3;
    END LOOP;
    SELECT count(*) FILTER (WHERE l.first = 1), coalesce(sum(cardinality(l.docs)), 0) INTO stored_queries, ranked
      FROM ranked_lists l WHERE l.run = run_id;
    PERFORM record_run(run_id);
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION rerank_store(text, integer, integer[], bigint[], double precision[], jsonb, integer, boolean) IS
'Store a run that reorders another one by new scores; documents without one follow in their previous order';
