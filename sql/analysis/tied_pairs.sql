-- tied_pairs: all pairs of runs by one measure, tested together by a bootstrap over queries; the better run first,
-- pairs in the order of the ranking.
--
--   difference      mean of the differences d by query; error = sd(d) / sqrt(n), t = |difference| / error
--   low, high       difference ∓ c · error; the intervals of all pairs hold together with confidence 1 - alpha
--   p               corrected for all pairs; below alpha if the interval excludes 0
--   beats           share of the resamples in which the run has the higher mean, equal means counted half: the
--                   probability that it beats the other run on other queries of the same kind
--   queries_needed  number of queries that would separate the pair with probability power, if the observed difference
--                   is the true one (queries_needed, at the level of c); NULL above 1,000,000 and for equal runs
--
-- Each resample b draws n of the n queries with replacement: draw i is query 1 + floor(h · n / 2^32) in the order of
-- their names, where h is the upper half of hashint8extended(hashint4extended(i, seed · 2^32 + b), 0), i = 1 to n. So
-- a seed gives the same draws everywhere, also in stcollection/analysis/draws.py, and Python has the same values.
--
--   m = the largest |difference in the resample - difference| / error · sqrt(n / (n - 1)) of all pairs
--   z = 1 - alpha quantile of m over the resamples; c has the tail probability of z, with n - 1 degrees of freedom
--   p = (1 + number of resamples whose m has at most the tail probability of t) / (1 + resamples)
--
-- With fewer than 25 queries, the tail probability of c is at most alpha / number of pairs, and p at least that of the
-- t-test times the number of pairs (Bonferroni): the bootstrap alone would find too many differences.
--
-- (Romano & Wolf, Econometrica 73, 2005: one critical value for all pairs; Mogstad, Romano, Shaikh & Wilhelm, Review of
-- Economic Studies 91, 2024: intervals of ranks, see tied_ranking)
--
-- A query without documents in a run counts as 0. 5 runs take 1.3 s and 32 runs 13 s (100 queries, busy machine); stc
-- evaluation leaderboard --ties has the same values faster. Raises IR101, IR102, IR103, IR108, IR202 (score_grid),
-- IR202 another argument outside its range, or a measure that is not a mean; IR405 fewer than two judged queries.
CREATE OR REPLACE FUNCTION public.tied_pairs(
    edition text, measure text DEFAULT 'nDCG@10', runs text[] DEFAULT '{}', alpha double precision DEFAULT 0.05,
    query_set text DEFAULT 'all', resamples integer DEFAULT 10000, seed integer DEFAULT 0,
    power double precision DEFAULT 0.8)
RETURNS TABLE (run text, against text, difference double precision, low double precision, high double precision,
               p double precision, beats double precision, queries_needed integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    names text[];             -- best first
    grid double precision[];  -- values of all runs: those of the first run by query, then those of the next
    n integer;                -- queries
BEGIN
    PERFORM check_ties(tied_pairs.measure, tied_pairs.alpha, tied_pairs.resamples, tied_pairs.seed, tied_pairs.power);
    SELECT array_agg(r.run ORDER BY r.place), array_agg(r.grid ORDER BY r.place), max(cardinality(r.grid))
      INTO names, grid, n
      FROM (SELECT g.run, array_agg(g.value ORDER BY g.query COLLATE "C") AS grid,
                   row_number() OVER (ORDER BY round(avg(g.value)::numeric, 12) DESC, g.run COLLATE "C") AS place
              FROM score_grid(tied_pairs.runs, tied_pairs.edition, tied_pairs.measure,
                              query_set => tied_pairs.query_set) g
             GROUP BY g.run) r;
    IF n < 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%s has %s judged query', shown_name(tied_pairs.edition), n),
            HINT = 'Resampling needs at least 2 queries, and useful intervals 25 or more.';
    END IF;
    RETURN QUERY
    WITH ranked AS MATERIALIZED (
        SELECT s.place::integer AS place, array_agg(u.value ORDER BY u.query) AS grid,
               array_agg(u.value - u.mean ORDER BY u.query) AS centred
          FROM generate_subscripts(names, 1) AS s (place)
         CROSS JOIN LATERAL (
               SELECT v.value, v.query, avg(v.value) OVER () AS mean
                 FROM unnest(grid[s.place:s.place]) WITH ORDINALITY AS v (value, query)) u
         GROUP BY s.place),
    pairs AS MATERIALIZED (
        SELECT a.place AS one, b.place AS other, d.mean, d.sd, d.sd / sqrt(n::double precision) AS error
          FROM ranked a JOIN ranked b ON b.place > a.place
         CROSS JOIN LATERAL (
               SELECT avg(v.d) AS mean,
                      CASE WHEN stddev_samp(v.d) <= 1e-11 * max(abs(v.d)) THEN 0 ELSE stddev_samp(v.d) END AS sd
                 FROM (SELECT round((u.x - u.y)::numeric, 12)::double precision AS d
                         FROM unnest(a.grid, b.grid) AS u (x, y)) v) d),
    draws AS MATERIALIZED (
        SELECT b.resample, ARRAY(
               SELECT (1 + ((hashint8extended(hashint4extended(i, (tied_pairs.seed::bigint << 32) + b.resample), 0)
                             >> 32 & 4294967295) * n >> 32))::integer
                 FROM generate_series(1, n) AS i) AS queries
          FROM generate_series(1, tied_pairs.resamples) AS b (resample)),
    moved AS MATERIALIZED (  -- by run: how far its mean moves in each resample
        SELECT r.place, ARRAY(SELECT (SELECT sum(r.centred[u.query]) FROM unnest(d.queries) AS u (query)) / n
                                FROM draws d ORDER BY d.resample) AS moves
          FROM ranked r),
    resampled AS MATERIALIZED (  -- a row for each pair, with wins, and one for each resample, with the largest m
        SELECT p.one, p.other, u.resample,
               count(*) FILTER (WHERE u.move > 1e-12 - p.mean)
               + count(*) FILTER (WHERE u.move >= -1e-12 - p.mean) AS wins,
               max(abs(u.move) * p.weight) AS largest
          FROM (SELECT pairs.*, coalesce(sqrt(n / (n - 1.0)::double precision) / nullif(error, 0), 0) AS weight
                  FROM pairs) p
          JOIN moved a ON a.place = p.one
          JOIN moved b ON b.place = p.other
         CROSS JOIN LATERAL (
               SELECT x.resample, CASE WHEN p.error = 0 THEN 0 ELSE x.a - x.b END AS move
                 FROM unnest(a.moves, b.moves) WITH ORDINALITY AS x (a, b, resample)) u
         GROUP BY GROUPING SETS ((p.one, p.other), (u.resample))),
    limits AS MATERIALIZED (
        SELECT l.level, student_t_quantile(l.level, n - 1) AS critical, l.tails, l.few
          FROM (SELECT least(erfc(percentile_cont(1 - tied_pairs.alpha) WITHIN GROUP (ORDER BY r.largest) / sqrt(2)),
                             tied_pairs.alpha / f.few) AS level,
                       array_agg(erfc(r.largest / sqrt(2)) ORDER BY r.largest DESC) AS tails, f.few
                  FROM resampled r
                 CROSS JOIN (SELECT CASE WHEN n < 25 THEN count(*) END AS few FROM pairs) f
                 WHERE r.resample IS NOT NULL GROUP BY f.few) l)
    SELECT names[p.one], names[p.other], p.mean, p.mean - l.critical * p.error, p.mean + l.critical * p.error,
           CASE WHEN p.mean = 0 THEN 1
                WHEN p.error = 0 THEN 1.0 / (1 + tied_pairs.resamples)
                ELSE greatest((1.0 + width_bucket(t.p, l.tails)) / (1 + tied_pairs.resamples),
                              CASE WHEN l.few > 0 THEN least(1, t.p * l.few) END) END::double precision,
           r.wins / (2.0 * tied_pairs.resamples)::double precision,
           CASE WHEN p.sd > 0 THEN queries_needed(p.mean / p.sd, l.level, tied_pairs.power) END
      FROM pairs p JOIN resampled r USING (one, other) CROSS JOIN limits l
     CROSS JOIN LATERAL (SELECT student_t_p(p.mean / nullif(p.error, 0), n - 1) AS p) t
     ORDER BY p.one, p.other;
END
$$;
COMMENT ON FUNCTION public.tied_pairs(
    text, text, text[], double precision, text, integer, integer, double precision) IS
    'All pairs of runs by one measure, tested together by a bootstrap over queries: interval of the difference, '
    'corrected p, probability that the first beats the second, queries needed to separate them';
