-- label_systems: effect of other labels on the ranking of systems: each run's mean by the human edition and by the
-- other one, over all queries (origin 'all') and per origin of queries.
--
-- Uses the queries that both editions judge. Differs from impact in three ways: rows are per origin, more coefficients
-- are included, and a run with scores in one edition only (imported scores) is kept. Such a run has NULL for its
-- missing value, its shift and its ranks.
--
-- kendall_tau to rbo (compare_rankings; human is the truth, top the number of runs for top_tau) are computed over the
-- runs with both scores. They are the same in all rows of an origin, and NULL for fewer than two such runs. shift =
-- value_other - value_human; a rank is 1 + the number of runs with both scores that score higher. queries: number of
-- queries of the origin. expected, low, high, p: value_other if the labels treat the run like the others
-- (label_residuals).
--
-- runs: run names; an empty array means all. query_set: only the queries of a set (function query_set).
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query or set, IR108 no such measure, IR201 cutoff
-- below 1, IR202 an edition judges no query of the set.
CREATE OR REPLACE FUNCTION label_systems(human text, other text, measure text DEFAULT 'nDCG@10',
                                         runs text[] DEFAULT '{}', query_set text DEFAULT 'all',
                                         top integer DEFAULT 10)
RETURNS TABLE (
    origin text, run text, family text, queries bigint, value_human double precision, value_other double precision,
    shift double precision,
    rank_human bigint, rank_other bigint, expected double precision, low double precision, high double precision,
    p double precision, kendall_tau double precision, spearman double precision, pearson double precision,
    tau_ap double precision, tau_ap_b double precision, tau_gap double precision, top_tau double precision,
    rbo double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    common CONSTANT integer[] := ARRAY(  -- reports an unknown edition even if no run is stored
        SELECT unnest((evaluation_keys(label_systems.runs, label_systems.human, '{1}',
                                label_systems.query_set)).query_ids)
        INTERSECT SELECT unnest((evaluation_keys(label_systems.runs, label_systems.other, '{1}',
                                          label_systems.query_set)).query_ids));
BEGIN
    RETURN QUERY
    WITH scored AS MATERIALIZED (
        SELECT run, query, x.value AS a, y.value AS b
          FROM scores(label_systems.runs, label_systems.human, ARRAY[label_systems.measure]) x
          FULL JOIN scores(label_systems.runs, label_systems.other, ARRAY[label_systems.measure]) y USING (run, query)),
    mean AS MATERIALIZED (  -- add in a fixed order, so that equal scores give equal means
        SELECT u.origin, s.run, count(*) AS queries, avg(nullif(s.a, 'NaN') ORDER BY s.query COLLATE "C") AS a,
               avg(nullif(s.b, 'NaN') ORDER BY s.query COLLATE "C") AS b
          FROM scored s JOIN st1_queries q ON q.query = s.query COLLATE "C" AND q.id = ANY (common)
         CROSS JOIN LATERAL (VALUES ('all'), (q.origin)) AS u (origin)
         GROUP BY u.origin, s.run),
    ranked AS (
        SELECT m.*, m.a IS NOT NULL AND m.b IS NOT NULL AS paired FROM mean m),
    listed AS MATERIALIZED (
        SELECT r.origin, array_agg(r.run ORDER BY r.run COLLATE "C") AS runs,
               array_agg(r.a ORDER BY r.run COLLATE "C") AS a, array_agg(r.b ORDER BY r.run COLLATE "C") AS b
          FROM ranked r WHERE r.paired GROUP BY r.origin),
    alike AS (
        SELECT l.origin, c.* FROM listed l CROSS JOIN LATERAL compare_rankings(l.runs, l.a, l.b, label_systems.top) c),
    fitted AS (
        SELECT l.origin, l.runs[f.place] AS run, f.expected, f.low, f.high, f.p
          FROM listed l CROSS JOIN LATERAL label_residuals(l.a, l.b) f)
    SELECT r.origin, r.run, family_name(n.family), r.queries, r.a, r.b, r.b - r.a,
           CASE WHEN r.paired THEN rank() OVER (PARTITION BY r.origin, r.paired ORDER BY r.a DESC) END,
           CASE WHEN r.paired THEN rank() OVER (PARTITION BY r.origin, r.paired ORDER BY r.b DESC) END,
           f.expected, f.low, f.high, f.p, g.kendall_tau, g.spearman, g.pearson, g.tau_ap, g.tau_ap_b, g.tau_gap,
           g.top_tau, g.rbo
      FROM ranked r JOIN st1_runs n ON n.run = r.run COLLATE "C" LEFT JOIN alike g USING (origin)
      LEFT JOIN fitted f ON f.origin = r.origin AND f.run = r.run
     ORDER BY r.origin <> 'all', r.origin <> 'human', r.origin COLLATE "C", coalesce(r.b, r.a) DESC, r.run COLLATE "C";
END
$$;
COMMENT ON FUNCTION label_systems(text, text, text, text[], text, integer) IS
    'Effect of other labels on the ranking of systems, per origin of queries: means, shifts, ranks, expected values, '
    'and rank correlations';
