-- pool_sides: annotators with grades on the sheets of a pool, as sides of an agreement (agreement_sides). Final grades
-- are no side.
CREATE OR REPLACE FUNCTION pool_sides(pool_id integer)
RETURNS TABLE (side text, origin text, annotator text, judgments bigint)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT CASE WHEN (SELECT count(*) FROM agreement_readings(s.short)) = 1 THEN s.short
                ELSE jsonb_build_object('pool', s.pool, 'annotator', s.annotator)::text END, 'human', s.annotator,
           s.judgments
      FROM (SELECT p.pool, a.annotator, count(*) AS judgments,
                   format('pool:%s/%s', p.pool, a.annotator) AS short
              FROM qrels_assessments a JOIN qrels_pools p ON p.id = a.pool
             WHERE a.pool = pool_sides.pool_id AND a.rel IS NOT NULL AND NOT a.final
             GROUP BY p.pool, a.annotator) s
     ORDER BY s.annotator COLLATE "C"
$$;
COMMENT ON FUNCTION pool_sides(integer) IS
    'Annotators of a pool as sides of an agreement, with the number of their grades';
