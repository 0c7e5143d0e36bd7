-- reusability: change in the score and rank of each run if it, or its team, had not contributed to the pool; one row
-- per run. Most ranks lost first, then largest loss.
--
--   sole, sole_relevant   judged documents that only the run (its team) contributed, and the relevant ones among them
--   before, after         mean score with all judgments, and without the judgments of these documents
--   rank_before, rank_after
--                         rank among all runs by these means
--   tau, tau_ap           correlation of the rankings of all runs with and without these judgments
--   max_drop              largest number of ranks that any run loses
--     (leave out uniques: Zobel, SIGIR 1998; Buckley, Dimmick, Soboroff & Voorhees, Information Retrieval 10(6), 2007)
--
-- Scores that differ by less than 1e-12 are ties; a rank is 1 + the number of better runs. Arguments and errors:
-- leave_out.
CREATE OR REPLACE FUNCTION public.reusability(
    edition text, measure text DEFAULT 'nDCG@10', depth integer DEFAULT 10, by text DEFAULT 'run',
    runs text[] DEFAULT '{}', query_set text DEFAULT 'all')
RETURNS TABLE (left_out text, run text, sole integer, sole_relevant integer, before double precision,
               after double precision,
               rank_before integer, rank_after integer, tau double precision, tau_ap double precision, max_drop integer)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
    WITH scored AS MATERIALIZED (
        SELECT l.left_out, l.run, l.own, round(l.before::numeric, 12) AS before, round(l.after::numeric, 12) AS after
          FROM leave_out(reusability.edition, reusability.measure, reusability.depth, reusability.by,
                         reusability.runs, reusability.query_set) l),
    placed AS MATERIALIZED (
        SELECT s.*, rank() OVER (PARTITION BY left_out ORDER BY before DESC)::integer AS rank_before,
               rank() OVER (PARTITION BY left_out ORDER BY after DESC)::integer AS rank_after
          FROM scored s),
    correlated AS (
        SELECT left_out, max(rank_after - rank_before) AS max_drop,
               kendall_tau(array_agg(before ORDER BY run)::double precision[],
                           array_agg(after ORDER BY run)::double precision[]) AS tau,
               tau_ap(array_agg(before ORDER BY run)::double precision[],
                      array_agg(after ORDER BY run)::double precision[]) AS tau_ap
          FROM placed GROUP BY left_out),
    sole AS (
        SELECT c.left_out, count(*)::integer AS documents, count(*) FILTER (WHERE c.rel > 0)::integer AS relevant
          FROM sole_contributions(reusability.edition, reusability.depth, reusability.by, reusability.runs,
                                  reusability.query_set) c
         GROUP BY c.left_out)
    SELECT p.left_out, p.run, coalesce(s.documents, 0), coalesce(s.relevant, 0), p.before::double precision,
           p.after::double precision,
           p.rank_before, p.rank_after, c.tau, c.tau_ap, c.max_drop
      FROM placed p
      JOIN correlated c ON c.left_out = p.left_out
      LEFT JOIN sole s ON s.left_out = p.left_out
     WHERE p.own
     ORDER BY p.rank_after - p.rank_before DESC, p.after - p.before, p.run COLLATE "C"
$$;
COMMENT ON FUNCTION public.reusability(text, text, integer, text, text[], text) IS
    'Change in each run''s score and rank, and tau and tau_ap of all runs, if the run (or its team) had not been '
    'in the pool';
