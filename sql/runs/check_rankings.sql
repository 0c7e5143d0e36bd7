-- check_rankings: trigger that refuses rankings whose ranks contradict their scores. The ranks of a query must be 1, 2,
-- 3 … without gaps, and no score may exceed that of the previous rank, in single precision (trec_score). Equal scores
-- may come in any order.
--
-- Each new row is compared with the previous rank, which may be stored already. So a ranking can be stored row by row,
-- starting at rank 1.
-- Raises IR301 a rank without the previous one, or a score above the previous one.
CREATE OR REPLACE FUNCTION check_rankings() RETURNS trigger
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    bad record;
BEGIN
    SELECT a.run, a.query, a.rank, a.rel_score, p.rel_score AS before INTO bad
      FROM (SELECT n.run, n.query, n.rank, n.rel_score, lag(n.rank) OVER ranked AS rank_before,
                   lag(n.rel_score) OVER ranked AS score_before
              FROM added n WINDOW ranked AS (PARTITION BY n.run, n.query ORDER BY n.rank)) a
      LEFT JOIN stc.st1_rankings p ON p.run = a.run AND p.query = a.query AND p.rank = a.rank - 1
     WHERE a.rank > 1
       AND (a.rank_before IS DISTINCT FROM a.rank - 1 OR trec_score(a.score_before) < trec_score(a.rel_score))
       AND (trec_score(p.rel_score) >= trec_score(a.rel_score)) IS NOT TRUE
     ORDER BY a.run, a.query, a.rank LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('run %s, query %s: ',
                             (SELECT shown_name(n.run) FROM public.st1_runs n WHERE n.id = bad.run),
                             (SELECT shown_name(q.query) FROM stc.st1_queries q WHERE q.id = bad.query))
                      || CASE WHEN bad.before IS NULL
                              THEN format('there is rank %s, but no rank %s', bad.rank, bad.rank - 1)
                              ELSE format('rank %s has the score %s, above %s of rank %s', bad.rank, bad.rel_score,
                                          bad.before,
                                          bad.rank - 1) END,
            HINT = 'Number the ranks by score: row_number() OVER (PARTITION BY query ORDER BY rel_score DESC).';
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION check_rankings() IS 'Trigger: refuses rankings whose ranks have gaps or contradict their scores';
CREATE OR REPLACE TRIGGER st1_rankings_check_insert AFTER INSERT ON st1_rankings
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_rankings();
