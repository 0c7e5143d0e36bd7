-- pool_drift: agreement of each annotator of a pool with the grades of an edition, over the order of the decisions.
--
-- Documents that the edition judges serve as control documents. Of each annotator's grades on them, the first half by
-- time is compared with the second: a falling agreement or a changing bias is drift. For an odd number, the first half
-- has one more. One row per annotator:
--
--   documents        graded by the annotator and judged in the edition; negative grades of the edition do not count
--   same, first_same, second_same
--                    share of them with the edition's grade: all, first half, second half
--   bias, first_bias, second_bias
--                    mean of the annotator's grade minus the edition's (positive: more generous)
--
-- Only grades still on the sheets count, by the time of the last change. Final grades of adjudicators do not count.
-- Raises IR102 no such edition, IR110 no such pool.
CREATE OR REPLACE FUNCTION pool_drift(pool text, edition text)
RETURNS TABLE (annotator text, documents bigint, same double precision, first_same double precision,
               second_same double precision, bias double precision, first_bias double precision,
               second_bias double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(pool_drift.pool);
    edition_id integer := edition_key(pool_drift.edition);
BEGIN
    RETURN QUERY
    WITH control AS (
        SELECT a.annotator, (a.rel = k.rel)::integer::double precision AS same,
               (a.rel - k.rel)::double precision AS bias,
               ntile(2) OVER (PARTITION BY a.annotator ORDER BY a.changed, a.query, a.doc) AS half
          FROM qrels_assessments a
          JOIN qrels k ON k.edition = edition_id AND k.query = a.query AND k.doc = a.doc AND k.rel >= 0
         WHERE a.pool = pool_id AND a.rel IS NOT NULL AND NOT a.final)
    SELECT c.annotator, count(*), avg(c.same), avg(c.same) FILTER (WHERE c.half = 1),
           avg(c.same) FILTER (WHERE c.half = 2), avg(c.bias), avg(c.bias) FILTER (WHERE c.half = 1),
           avg(c.bias) FILTER (WHERE c.half = 2)
      FROM control c GROUP BY c.annotator ORDER BY c.annotator COLLATE "C";
END
$$;
COMMENT ON FUNCTION pool_drift(text, text) IS
    'Agreement of each annotator of a pool with an edition, in the first and the second half of the decisions; NULL '
    'if a half is empty';
