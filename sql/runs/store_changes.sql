-- store_changes: trigger that stores the rows of a statement on the views st1_rankings (write_ranking) in ranked_lists.
--
-- New documents become further rows of ranked_lists. Other changes store the lists of their queries again, except that
-- of comb_score alone, which participants may change.
-- Raises IR301 a gap in the ranks (check_rankings), and PostgreSQL's errors of unique keys and NOT NULL.
CREATE OR REPLACE FUNCTION store_changes() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
DECLARE
    bad record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_temp.ranking_changes) THEN
        RETURN NULL;
    ELSIF NOT EXISTS (SELECT FROM pg_temp.ranking_changes c WHERE c.combined IS NOT TRUE) THEN
        UPDATE ranked_lists l SET comb_scores = s.comb_scores
          FROM (SELECT k.run, k.query, k.first,
                       array_agg(CASE WHEN c.doc IS NULL THEN k.comb_score ELSE c.comb_score END
                                 ORDER BY k.rank) AS comb_scores
                  FROM (SELECT DISTINCT c.run, c.query FROM pg_temp.ranking_changes c) w
                  JOIN st1_rankings k ON k.run = w.run AND k.query = w.query
                  LEFT JOIN pg_temp.ranking_changes c ON c.run = k.run AND c.query = k.query AND c.doc = k.doc
                 GROUP BY k.run, k.query, k.first) s
         WHERE (l.run, l.query, l.first) = (s.run, s.query, s.first);
        DELETE FROM pg_temp.ranking_changes;
        RETURN NULL;
    ELSIF tg_op <> 'INSERT' THEN
        INSERT INTO pg_temp.ranking_changes (run, query, doc, rank, file_rank, rel_score, comb_score, passage)
        SELECT k.run, k.query, k.doc, k.rank, k.file_rank, k.rel_score, k.comb_score, k.passage
          FROM (SELECT DISTINCT c.run, c.query FROM pg_temp.ranking_changes c) w
          JOIN st1_rankings k ON k.run = w.run AND k.query = w.query
         WHERE NOT EXISTS (SELECT FROM pg_temp.ranking_changes c
                            WHERE c.run = k.run AND c.query = k.query AND c.old_doc = k.doc);
        DELETE FROM ranked_lists l USING (SELECT DISTINCT c.run, c.query FROM pg_temp.ranking_changes c) w
         WHERE l.run = w.run AND l.query = w.query;
    END IF;
    SELECT c.run, c.query, c.rank, c.before INTO bad
      FROM (SELECT c.run, c.query, c.rank, lag(c.rank) OVER (PARTITION BY c.run, c.query ORDER BY c.rank) AS before
              FROM pg_temp.ranking_changes c WHERE c.rank IS NOT NULL) c
     WHERE c.rank <> c.before + 1 ORDER BY 1, 2, 3 LIMIT 1;
    IF bad.rank = bad.before THEN
        RAISE EXCEPTION USING ERRCODE = '23505', TABLE = 'st1_rankings', CONSTRAINT = 'st1_rankings_run_query_rank_key',
            MESSAGE = 'duplicate key value violates unique constraint "st1_rankings_run_query_rank_key"',
            DETAIL = format('Key (run, query, rank)=(%s, %s, %s) already exists.', bad.run, bad.query, bad.rank),
            HINT = 'Number the ranks of a run and query 1, 2, 3 ….';
    ELSIF bad.rank > bad.before THEN
        PERFORM refuse_ranking(bad.run, bad.query,
                               format('there is rank %s, but no rank %s', bad.rank, bad.rank - 1));
    END IF;
    INSERT INTO ranked_lists (run, query, first, docs, rel_scores, comb_scores, file_ranks, passages)
    SELECT c.run, c.query, min(c.rank), array_agg(c.doc ORDER BY c.rank), array_agg(c.rel_score ORDER BY c.rank),
           CASE WHEN count(c.comb_score) > 0 THEN array_agg(c.comb_score ORDER BY c.rank) END,
           CASE WHEN count(c.file_rank) > 0 THEN array_agg(c.file_rank ORDER BY c.rank) END,
           CASE WHEN count(c.passage) > 0 THEN array_agg(c.passage ORDER BY c.rank) END
      FROM pg_temp.ranking_changes c WHERE c.doc IS NOT NULL
     GROUP BY c.run, c.query, list_part(c.rank) ORDER BY 1, 2, 3;
    DELETE FROM pg_temp.ranking_changes;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION store_changes() IS 'Trigger: store the rows that a statement wrote to the views st1_rankings';
CREATE OR REPLACE TRIGGER st1_rankings_store AFTER INSERT OR UPDATE OR DELETE ON public.st1_rankings
    FOR EACH STATEMENT EXECUTE FUNCTION store_changes();
CREATE OR REPLACE TRIGGER st1_rankings_store_numbers AFTER INSERT OR UPDATE OR DELETE ON stc.st1_rankings
    FOR EACH STATEMENT EXECUTE FUNCTION store_changes();
