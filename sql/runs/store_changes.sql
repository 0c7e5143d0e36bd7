-- store_changes: trigger that stores the rows of a statement on the views st1_rankings (write_ranking) in ranked_lists.
--
-- New documents become further rows of ranked_lists. Other changes store the lists of their queries again, except that
-- of comb_score alone, which participants may change. A statement of WITH may insert, update and delete at once.
--
-- A statement that waited for another session has read the rows from before. It fails if they differ from the stored
-- ones (was), and would otherwise store old values again.
-- Raises IR301 a gap in the ranks (check_rankings), and PostgreSQL's errors for a rank or document that occurs twice
-- (23505), a row that the statement changes twice (21000), and a row that another session changed (40001).
CREATE OR REPLACE FUNCTION store_changes() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
    bad record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_temp.ranking_changes) THEN
        RETURN NULL;
    END IF;
    -- Sessions that write the same run do so one after the other.
    PERFORM FROM public.st1_runs n WHERE n.id IN (SELECT c.run FROM pg_temp.ranking_changes c)
      ORDER BY n.id FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM pg_temp.ranking_changes c WHERE c.old_doc IS NOT NULL) THEN
        SELECT c.run, c.query, c.old_doc, count(*) AS times INTO bad
          FROM pg_temp.ranking_changes c
          LEFT JOIN (SELECT k.run, k.query, k.doc,
                            hash_record_extended(
                                ROW(k.rank, k.file_rank, k.rel_score, k.comb_score, k.passage), 0) AS is_now
                       FROM (SELECT DISTINCT c.run, c.query FROM pg_temp.ranking_changes c
                              WHERE c.old_doc IS NOT NULL) w
                       CROSS JOIN LATERAL (
                             SELECT k.* FROM st1_rankings k WHERE k.run = w.run AND k.query = w.query OFFSET 0) k) k
               ON k.run = c.run AND k.query = c.query AND k.doc = c.old_doc
         WHERE c.old_doc IS NOT NULL
         GROUP BY c.run, c.query, c.old_doc HAVING count(*) > 1 OR bool_or(c.was IS DISTINCT FROM k.is_now) LIMIT 1;
        IF bad.times > 1 THEN
            RAISE EXCEPTION USING ERRCODE = '21000', TABLE = 'st1_rankings',
                MESSAGE = 'a statement cannot change the same ranked document twice',
                DETAIL = format('Key (query, doc, run)=(%s, %s, %s).', bad.query, bad.old_doc, bad.run),
                HINT = 'Join each row of st1_rankings with one row of new values.';
        ELSIF bad.times = 1 THEN
            RAISE EXCEPTION USING ERRCODE = '40001', TABLE = 'st1_rankings',
                MESSAGE = 'could not serialize access due to concurrent update',
                DETAIL = format('Key (query, doc, run)=(%s, %s, %s) was changed by another session.', bad.query,
                                bad.old_doc, bad.run),
                HINT = 'Run the statement again.';
        END IF;
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
    IF EXISTS (SELECT FROM pg_temp.ranking_changes c WHERE c.old_doc IS NOT NULL) THEN
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
     WHERE c.rank <> c.before + 1 ORDER BY 1, 2, 3 LIMIT 1;
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
