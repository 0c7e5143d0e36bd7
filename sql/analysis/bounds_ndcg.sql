-- bounds_ndcg: lowest and highest nDCG@cutoff a ranking can have if its unjudged documents get any grades from 0 to
-- top.
--
-- Only unjudged documents among the first cutoff are considered; all others count as not relevant. Both bounds are
-- attained by some grades.
--
--   ranks, rels  ranks and grades of the judged documents in the ranking
--   open         ranks of the unjudged documents, smallest first
--   judged       grades of all judged documents of the query
--
-- Let n_t be the number of judged documents of grade t or more, and m_t the number of unjudged documents assumed to
-- have grade t or more, with m_1 >= m_2 >= …. Let W(n) be the sum of the first n discounts and S(m) the sum over m of
-- the unjudged documents. Then nDCG = (DCG + sum over t of S(m_t)) / sum over t of W(n_t + m_t).
--
-- Upper bound: S uses the m best ranks, and the maximum is found by Dinkelbach's iteration (Management Science 13(7),
-- 1967). For the current value, each t takes the m that maximises S(m) - value · W(n_t + m). These m_t decrease with t
-- without further constraint. The iteration stops when the value no longer rises. Lower bound: S uses the m worst ranks
-- and all m_t are equal, because a relevant document low in the ranking raises the ideal more than the DCG.
CREATE OR REPLACE FUNCTION bounds_ndcg(
    cutoff integer, ranks integer[], rels integer[], open integer[], judged integer[], top integer,
    OUT worst double precision, OUT best double precision)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    size CONSTANT integer := coalesce(cardinality(bounds_ndcg.open), 0);
    places CONSTANT integer := least(bounds_ndcg.cutoff, coalesce(cardinality(bounds_ndcg.judged), 0) + size);
    dcg CONSTANT double precision := coalesce((SELECT sum(d.rel / ln(d.rank + 1::double precision))
        FROM unnest(bounds_ndcg.ranks, bounds_ndcg.rels) AS d (rank, rel) WHERE d.rank <= bounds_ndcg.cutoff), 0);
    counts CONSTANT integer[] := ARRAY(SELECT (SELECT count(*) FROM unnest(bounds_ndcg.judged) AS rel WHERE rel >= t)
                                         FROM generate_series(1, bounds_ndcg.top) AS t);
    ideal CONSTANT double precision[] := ARRAY(SELECT 0::double precision UNION ALL (  -- W(0), W(1), …
        SELECT sum(1 / ln(i + 1::double precision)) OVER (ORDER BY i) FROM generate_series(1, places) AS i));
    high CONSTANT double precision[] := ARRAY(SELECT 0::double precision UNION ALL (
        SELECT sum(1 / ln(r + 1::double precision)) OVER (ORDER BY r) FROM unnest(bounds_ndcg.open) AS r));
    low CONSTANT double precision[] := ARRAY(SELECT 0::double precision UNION ALL (
        SELECT sum(1 / ln(r + 1::double precision)) OVER (ORDER BY r DESC) FROM unnest(bounds_ndcg.open) AS r));
    found record;
BEGIN
    SELECT min(v.value), max(v.value) INTO worst, best
      FROM (SELECT coalesce((dcg + bounds_ndcg.top * low[m + 1])
                               / nullif((SELECT sum(ideal[least(n + m, places) + 1]) FROM unnest(counts) AS n), 0),
                               0) AS value
              FROM generate_series(0, size) AS m) v;
    LOOP
        SELECT dcg + sum(b.gain) AS gain, sum(b.cost) AS cost INTO found
          FROM unnest(counts) AS n
         CROSS JOIN LATERAL (
               SELECT high[m + 1] AS gain, ideal[least(n + m, places) + 1] AS cost FROM generate_series(0, size) AS m
                ORDER BY high[m + 1] - best * ideal[least(n + m, places) + 1] DESC, m LIMIT 1) b;
        EXIT WHEN found.cost IS NULL OR found.cost = 0 OR found.gain / found.cost <= best + 1e-14;
        best := found.gain / found.cost;
    END LOOP;
END
$$;
COMMENT ON FUNCTION bounds_ndcg(integer, integer[], integer[], integer[], integer[], integer) IS
    'The lowest and highest nDCG@cutoff a ranking can have, depending on the grades of its unjudged documents';
