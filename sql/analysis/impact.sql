-- impact: effect of another edition of the judgments on the ranking of systems: each run's mean and rank by edition a
-- and by edition b. Best by b first.
--
-- shift = value_b - value_a; a rank is 1 + the number of runs with a higher score. kendall_tau (tau-b), tau_ap (a is
-- the truth, b the estimate; ties as in tau_ap) and rbo (with persistence p; equal means are ordered by run name)
-- compare the two rankings. They are the same in all rows. They are NULL for fewer than two runs; tau-b and tau_ap are
-- also NULL if one edition gives all runs the same score.
--
--   queries_a, queries_b  number of queries in the mean by a and by b
--   query_set             only the queries of a set (function query_set)
--   every                 false: use the queries that both editions judge; true: use all queries of each edition
--
-- A run without a value in one of the editions is omitted.
-- Raises the errors of impact_queries, and IR202 p outside (0, 1).
CREATE OR REPLACE FUNCTION public.impact(
    a text, b text, measure text DEFAULT 'nDCG@10', runs text[] DEFAULT '{}', every boolean DEFAULT false,
    p double precision DEFAULT 0.9, query_set text DEFAULT 'all')
RETURNS TABLE (run text, value_a double precision, value_b double precision, shift double precision, rank_a bigint,
               rank_b bigint,
               queries_a bigint, queries_b bigint, kendall_tau double precision, tau_ap double precision,
               rbo double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH mean AS MATERIALIZED (  -- add in a fixed order, so that equal scores give equal means
        SELECT q.run, avg(q.value_a ORDER BY q.query COLLATE "C") AS a,
               avg(q.value_b ORDER BY q.query COLLATE "C") AS b,
               count(q.value_a) AS queries_a, count(q.value_b) AS queries_b
          FROM impact_queries(impact.a, impact.b, impact.measure, impact.runs, impact.every, impact.query_set) q
         GROUP BY q.run HAVING count(q.value_a) > 0 AND count(q.value_b) > 0),
    agreement AS (
        SELECT kendall_tau(array_agg(m.a ORDER BY m.run), array_agg(m.b ORDER BY m.run)) AS kendall_tau,
               tau_ap(array_agg(m.a ORDER BY m.run), array_agg(m.b ORDER BY m.run)) AS tau_ap,
               CASE WHEN count(*) > 1
                    THEN rbo(array_agg(m.run ORDER BY m.a DESC, m.run COLLATE "C"),
                             array_agg(m.run ORDER BY m.b DESC, m.run COLLATE "C"),
                             impact.p) END AS rbo
          FROM mean m)
    SELECT m.run, m.a, m.b, m.b - m.a, rank() OVER (ORDER BY m.a DESC), rank() OVER (ORDER BY m.b DESC), m.queries_a,
           m.queries_b,
           g.kendall_tau, g.tau_ap, g.rbo
      FROM mean m CROSS JOIN agreement g
     ORDER BY m.b DESC, m.run COLLATE "C"
$$;
COMMENT ON FUNCTION public.impact(text, text, text, text[], boolean, double precision, text) IS
    'Effect of another edition of the judgments on the ranking of systems: means, ranks, shifts, Kendall''s tau, '
    'tau_ap and RBO; best by b first';
