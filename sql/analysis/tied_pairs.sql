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
-- A query without documents in a run counts as 0. 5 runs take 0.2 s, 32 runs 0.7 s and 100 runs 3.3 s (100 queries);
-- stc evaluation leaderboard --ties has the same values faster. Raises IR101, IR102, IR103, IR108, IR202
-- (score_grid), IR202 another argument outside its range, a measure that is not a mean, or more than 1,500 runs; IR405
-- fewer than two judged queries.
CREATE OR REPLACE FUNCTION public.tied_pairs(
    edition text, measure text DEFAULT 'nDCG@10', runs text[] DEFAULT '{}', alpha double precision DEFAULT 0.05,
    query_set text DEFAULT 'all', resamples integer DEFAULT 10000, seed integer DEFAULT 0,
    power double precision DEFAULT 0.8)
RETURNS TABLE (run text, against text, difference double precision, low double precision, high double precision,
               p double precision, beats double precision, queries_needed integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    names text[];                -- best first
    grid double precision[];     -- values of all runs: those of the first run by query, then those of the next
    centred double precision[];  -- the same, each minus the mean of its run
    n integer;                   -- queries
    means double precision[];    -- of the differences of each pair
    spreads double precision[];  -- their standard deviations
    losses bigint[];             -- by pair, see tied_statement
    largest double precision[];  -- by resample
BEGIN
    PERFORM check_ties(tied_pairs.measure, tied_pairs.alpha, tied_pairs.resamples, tied_pairs.seed, tied_pairs.power);
    SELECT array_agg(r.run ORDER BY r.place), array_agg(r.grid ORDER BY r.place),
           array_agg(ARRAY(SELECT u.value - r.mean FROM unnest(r.grid) WITH ORDINALITY AS u (value, i) ORDER BY u.i)
                     ORDER BY r.place), max(cardinality(r.grid))
      INTO names, grid, centred, n
      FROM (SELECT g.run, array_agg(g.value ORDER BY g.query COLLATE "C") AS grid, avg(g.value) AS mean,
                   row_number() OVER (ORDER BY round(avg(g.value)::numeric, 12) DESC, g.run COLLATE "C") AS place
              FROM score_grid(tied_pairs.runs, tied_pairs.edition, tied_pairs.measure,
                              query_set => tied_pairs.query_set) g
             GROUP BY g.run) r;
    IF names IS NULL THEN
        RETURN;
    ELSIF n < 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%s has %s', shown_name(tied_pairs.edition), counted(n, 'judged query')),
            HINT = 'Resampling needs at least 2 queries, and useful intervals 25 or more.';
    ELSIF cardinality(names) > 1500 THEN  -- runs are columns, of which there are at most 1,600
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('SQL compares all pairs of at most 1500 runs; got %s', cardinality(names)),
            HINT = 'Name fewer runs, or use: stc evaluation leaderboard --ties.';
    END IF;
    WITH by_run AS MATERIALIZED (
        SELECT r AS place, ARRAY(SELECT unnest(grid[r:r])) AS grid FROM generate_subscripts(names, 1) AS r)
    SELECT array_agg(d.mean ORDER BY a.place, b.place), array_agg(d.sd ORDER BY a.place, b.place)
      INTO means, spreads
      FROM by_run a
      JOIN by_run b ON b.place > a.place
     CROSS JOIN LATERAL (
           SELECT avg(v.d) AS mean,
                  CASE WHEN stddev_samp(v.d) <= 1e-11 * max(abs(v.d)) THEN 0 ELSE stddev_samp(v.d) END AS sd
             FROM (SELECT round((u.x - u.y)::numeric, 12)::double precision AS d
                     FROM unnest(a.grid, b.grid) AS u (x, y)) v) d;
    EXECUTE tied_statement(cardinality(names), means, ARRAY(
        SELECT coalesce(n / (sqrt(n - 1.0::double precision) * nullif(s.sd, 0)), 0)
          FROM unnest(spreads) WITH ORDINALITY AS s (sd, i) ORDER BY s.i))
       INTO losses, largest USING centred, n, tied_pairs.resamples, tied_pairs.seed;
    RETURN QUERY
    WITH limits AS MATERIALIZED (
        SELECT l.level, student_t_quantile(l.level, n - 1) AS critical, l.tails, l.few
          FROM (SELECT least(erfc(percentile_cont(1 - tied_pairs.alpha) WITHIN GROUP (ORDER BY u.m) / sqrt(2)),
                             tied_pairs.alpha / f.few) AS level,
                       array_agg(erfc(u.m / sqrt(2)) ORDER BY u.m DESC) AS tails, f.few
                  FROM unnest(largest) AS u (m)
                 CROSS JOIN (SELECT CASE WHEN n < 25 THEN cardinality(means) END AS few) f
                 GROUP BY f.few) l),
    pairs AS (
        SELECT i, names[p.one] AS run, names[p.other] AS against, u.mean, u.sd, u.loss,
               u.sd / sqrt(n::double precision) AS error
          FROM (SELECT a.n AS one, b.n AS other, row_number() OVER (ORDER BY a.n, b.n) AS i
                  FROM generate_subscripts(names, 1) AS a (n)
                  JOIN generate_subscripts(names, 1) AS b (n) ON b.n > a.n) p
          JOIN unnest(means, spreads, losses) WITH ORDINALITY AS u (mean, sd, loss, i) USING (i))
    SELECT p.run, p.against, p.mean, p.mean - l.critical * p.error, p.mean + l.critical * p.error,
           CASE WHEN p.mean = 0 THEN 1
                WHEN p.error = 0 THEN 1.0 / (1 + tied_pairs.resamples)
                ELSE greatest((1.0 + width_bucket(t.p, l.tails)) / (1 + tied_pairs.resamples),
                              CASE WHEN l.few > 0 THEN least(1, t.p * l.few) END) END::double precision,
           CASE WHEN p.error = 0 THEN CASE WHEN p.mean > 1e-12 THEN 1 ELSE 0.5 END
                ELSE 1 - p.loss / (2.0 * tied_pairs.resamples) END::double precision,
           CASE WHEN p.sd > 0 THEN queries_needed(p.mean / p.sd, l.level, tied_pairs.power) END
      FROM pairs p CROSS JOIN limits l
     CROSS JOIN LATERAL (SELECT student_t_p(p.mean / nullif(p.error, 0), n - 1) AS p) t
     ORDER BY p.i;
END
$$;
COMMENT ON FUNCTION public.tied_pairs(
    text, text, text[], double precision, text, integer, integer, double precision) IS
    'All pairs of runs by one measure, tested together by a bootstrap over queries: interval of the difference, '
    'corrected p, probability that the first beats the second, queries needed to separate them';
