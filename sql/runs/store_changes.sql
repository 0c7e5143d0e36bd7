-- store_changes: trigger that stores the rows of a statement on the views st1_rankings (write_ranking) in ranked_lists.
--
-- New documents become further rows of ranked_lists. Other changes store the lists of their queries again, except that
-- of comb_score alone, which participants may change. A statement of WITH may insert, update and delete at once.
--
-- Raises IR301 a gap in the ranks (check_rankings), PostgreSQL's error for a rank or document that occurs twice
-- (23505), and those of check_changes.
CREATE OR REPLACE FUNCTION store_changes() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
    changes bigint;
    changed bigint;  -- of them, those that replace or delete a row
    bad record;
BEGIN
    SELECT count(*), count(c.old_doc) INTO changes, changed FROM pg_temp.ranking_changes c;
    IF changes = 0 THEN
        RETURN NULL;
    END IF;
    -- Sessions that write the same run do so one after the other.
    PERFORM FROM public.st1_runs n WHERE n.id IN (SELECT c.run FROM pg_temp.ranking_changes c)
      ORDER BY n.id FOR NO KEY UPDATE;
    IF changed > 0 THEN
        PERFORM check_changes();
        WITH c AS MATERIALIZED (DELETE FROM pg_temp.ranking_changes c WHERE c.combined RETURNING c.*)
        UPDATE ranked_lists l SET comb_scores = s.comb_scores
          FROM (SELECT k.run, k.query, k.first,
                       array_agg(CASE WHEN c.doc IS NULL THEN k.comb_score ELSE c.comb_score END
                                 ORDER BY k.rank) AS comb_scores
                  FROM (SELECT DISTINCT c.run, c.query FROM c) w
                  CROSS JOIN LATERAL (
                        SELECT k.* FROM st1_rankings k WHERE k.run = w.run AND k.query = w.query OFFSET 0) k
                  LEFT JOIN c ON c.run = k.run AND c.query = k.query AND c.doc = k.doc
                 GROUP BY k.run, k.query, k.first) s
         WHERE (l.run, l.query, l.first) = (s.run, s.query, s.first);
    END IF;
    IF changed > 0 AND EXISTS (SELECT FROM pg_temp.ranking_changes c WHERE c.old_doc IS NOT NULL) THEN
        INSERT INTO pg_temp.ranking_changes (run, query, doc, rank, file_rank, rel_score, comb_score, passage)
        SELECT k.run, k.query, k.doc, k.rank, k.file_rank, k.rel_score, k.comb_score, k.passage
          FROM (SELECT DISTINCT c.run, c.query FROM pg_temp.ranking_changes c WHERE c.old_doc IS NOT NULL) w
          CROSS JOIN LATERAL (SELECT k.* FROM st1_rankings k WHERE k.run = w.run AND k.query = w.query OFFSET 0) k
         WHERE NOT EXISTS (SELECT FROM pg_temp.ranking_changes c
                            WHERE c.run = k.run AND c.query = k.query AND c.old_doc = k.doc);
        DELETE FROM ranked_lists l
         USING (SELECT DISTINCT c.run, c.query FROM pg_temp.ranking_changes c WHERE c.old_doc IS NOT NULL) w
         WHERE l.run = w.run AND l.query = w.query;
    END IF;
    SELECT c.run, c.query, c.rank, c.before INTO bad
      FROM (SELECT c.run, c.query, c.rank, lag(c.rank) OVER (PARTITION BY c.run, c.query ORDER BY c.rank) AS before
              FROM pg_temp.ranking_changes c WHERE c.rank IS NOT NULL) c
     WHERE (changes > 1 OR changed > 0)  -- check_rankings compares a single row with the stored ones
       AND c.rank <> c.before + 1 ORDER BY 1, 2, 3 LIMIT 1;
    IF bad.rank > bad.before THEN
        PERFORM refuse_ranking(bad.run, bad.query,
                               format('there is rank %s, but no rank %s', bad.rank, bad.rank - 1));
    ELSIF bad.rank = bad.before
        OR EXISTS (SELECT FROM (SELECT c.run, c.query, min(c.rank) AS first FROM pg_temp.ranking_changes c
                                 WHERE c.doc IS NOT NULL GROUP BY c.run, c.query, list_part(c.rank)) p
                    WHERE (SELECT true FROM ranked_lists l
                            WHERE (l.run, l.query, l.first) = (p.run, p.query, p.first))) THEN
        SELECT n.* INTO bad
          FROM (SELECT a.run, a.query, a.doc, a.rank,
                       count(*) OVER (PARTITION BY a.run, a.query, a.doc) > 1 AS doc_again,
                       count(*) OVER (PARTITION BY a.run, a.query, a.rank) > 1 AS rank_again
                  FROM (SELECT c.run, c.query, c.doc, c.rank FROM pg_temp.ranking_changes c WHERE c.doc IS NOT NULL
                         UNION ALL
                        SELECT k.run, k.query, k.doc, k.rank
                          FROM (SELECT DISTINCT c.run, c.query FROM pg_temp.ranking_changes c) w
                          CROSS JOIN LATERAL (
                                SELECT k.* FROM st1_rankings k
                                 WHERE k.run = w.run AND k.query = w.query OFFSET 0) k) a) n
         WHERE n.doc_again OR n.rank_again ORDER BY n.doc_again DESC, n.run, n.query, n.rank LIMIT 1;
        PERFORM refuse_duplicate(bad.run, bad.query, CASE WHEN bad.doc_again THEN bad.doc END, bad.rank);
    END IF;
    WITH c AS (DELETE FROM pg_temp.ranking_changes c RETURNING c.*)
    INSERT INTO ranked_lists (run, query, first, docs, rel_scores, comb_scores, file_ranks, passages)
    SELECT c.run, c.query, min(c.rank), array_agg(c.doc ORDER BY c.rank), array_agg(c.rel_score ORDER BY c.rank),
           CASE WHEN count(c.comb_score) > 0 THEN array_agg(c.comb_score ORDER BY c.rank) END,
           CASE WHEN count(c.file_rank) > 0 THEN array_agg(c.file_rank ORDER BY c.rank) END,
           CASE WHEN count(c.passage) > 0 THEN array_agg(c.passage ORDER BY c.rank) END
      FROM c WHERE c.doc IS NOT NULL GROUP BY c.run, c.query, list_part(c.rank) ORDER BY 1, 2, 3;
    -- Each scan reads the deleted rows. TRUNCATE after each statement would take longer than a row.
    IF pg_trigger_depth() = 1 AND pg_relation_size('pg_temp.ranking_changes') > 65536 THEN
        TRUNCATE pg_temp.ranking_changes;
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION store_changes() IS 'Trigger: store the rows that a statement wrote to the views st1_rankings';
CREATE OR REPLACE TRIGGER st1_rankings_store AFTER INSERT OR UPDATE OR DELETE ON public.st1_rankings
    FOR EACH STATEMENT EXECUTE FUNCTION store_changes();
CREATE OR REPLACE TRIGGER st1_rankings_store_numbers AFTER INSERT OR UPDATE OR DELETE ON stc.st1_rankings
    FOR EACH STATEMENT EXECUTE FUNCTION store_changes();
