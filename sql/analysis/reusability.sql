-- reusability: how a run, or the runs of a team, would have stood had it not been in the pool; one row per run. The
-- most ranks lost first, then the largest loss.
--
--   sole, sole_relevant   judged documents that it (its team) alone contributed, and how many of them are relevant
--   before, after         its mean score by the edition, and without these judgments; rank_before, rank_after among all
--                         runs
--   tau, tau_ap           of the ranking of all runs without these judgments with the ranking by all of them
--   max_drop              the most ranks any run loses by it
--     (leave out uniques: Zobel, SIGIR 1998; Buckley, Dimmick, Soboroff & Voorhees, Information Retrieval 10(6), 2007)
--
-- Scores that differ by less than 1e-12 tie; a rank is 1 and the number of runs that are better. Arguments and errors:
-- leave_out.
CREATE OR REPLACE FUNCTION public.reusability(
    edition text, measure text DEFAULT 'nDCG@10', depth integer DEFAULT 10, by text DEFAULT 'run',
    runs text[] DEFAULT '{}')
RETURNS TABLE (left_out text, run text, sole integer, sole_relevant integer, before double precision,
               after double precision,
               rank_before integer, rank_after integer, tau double precision, tau_ap double precision, max_drop integer)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp SET jit = off AS $$
    WITH scored AS MATERIALIZED (
        SELECT l.left_out, l.run, l.own, round(l.before::numeric, 12) AS before, round(l.after::numeric, 12) AS after
          FROM leave_out(reusability.edition, reusability.measure, reusability.depth, reusability.by,
                         reusability.runs) l),
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
          FROM sole_contributions(reusability.edition, reusability.depth, reusability.by, reusability.runs) c
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
COMMENT ON FUNCTION public.reusability(text, text, integer, text, text[]) IS
    'How each run would have stood had it (its team) not been in the pool: score, rank, tau and tau_ap of the rankings';
