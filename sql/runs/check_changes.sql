-- check_changes: check that the rows that a statement on the views st1_rankings replaces or deletes (ranking_changes)
-- are stored as it read them. A statement that waited for another session has read the rows from before (was), and
-- would store old values again.
--
-- Raises PostgreSQL's errors for a row that the statement changes twice (21000), and for a row that another session
-- changed (40001).
CREATE OR REPLACE FUNCTION check_changes() RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
    bad record;
BEGIN
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
END
$$;
COMMENT ON FUNCTION check_changes() IS
    'Check that the rows that a statement on st1_rankings changes are stored as it read them';
