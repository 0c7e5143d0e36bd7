-- measure_compat: compatibility, the rank-biased overlap between the ranking and an ideal ranking.
--
--   RBO    = sum over depths i <= D of p^(i - 1) · (documents among the first i of both rankings) / i
--   Compat = RBO with the ideal ranking, divided by the RBO of the ideal ranking with itself; 0 without a relevant
--            document
--   D is the number of documents of the longer ranking. The ideal ranking has the documents with a grade of 1 or more,
--   best grade first, those with equal grades in the order of the ranking, and those not retrieved last.
--   (Clarke, Vtyurina & Smucker, Assessing Top-k Preferences, ACM TOIS 39(3), 2021; equal to ir_measures)
--
-- Two cases differ from ir_measures. It takes 0 as the score of a relevant document that is not retrieved, so that
-- among equal grades its ideal ranking has that document above a retrieved one with a negative score; here only the
-- rank counts, not the sign of the score. It ranks equal scores by ascending docno; here they are in trec_eval's order.
-- Both give 0 to a query for which nothing is retrieved.
--
-- A document at rank r and at place j of the ideal ranking counts at all depths from m = max(r, j) on. With the prefix
-- sums c of p^(i - 1) / i (overlap_weights) it adds c[D] - c[m - 1]. The relevance level (trec_eval -l) has no effect.
CREATE OR REPLACE FUNCTION measure_compat(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '(SELECT w.n, w.c[w.d] - coalesce(w.c[x.m - 1], 0) AS kept, w.c[w.d] - w.c[w.n] AS rest
        FROM (SELECT i.n, i.d, stc.overlap_weights({1}, i.d) AS c
                FROM (SELECT t.n, greatest(t.n, {retrieved}) AS d
                        FROM (SELECT count(*)::integer AS n FROM unnest(s.rels) AS g (rel) WHERE g.rel > 0) t) i
               WHERE i.n > 0 OFFSET 0) w
       CROSS JOIN (SELECT greatest(r.rank, row_number() OVER (PARTITION BY r.rel ORDER BY r.rank)
                          + (SELECT count(*) FROM unnest(s.rels) AS g (rel) WHERE g.rel > r.rel))::integer AS m
                     FROM unnest(l.relevant, l.grades) AS r (rank, rel)) x) u',
           NULL,
           'coalesce(sum(u.kept) / (CASE {1} WHEN 1 THEN max(u.n)
        ELSE (1 - exp(greatest(max(u.n) * ln(nullif({1}, 0)), -600))) / (1 - {1}) END + max(u.n) * max(u.rest)), 0)'
$$;
COMMENT ON FUNCTION measure_compat(integer) IS
    'Formula of Compat: the rank-biased overlap between the ranking and an ideal ranking';
