-- answer_mean_scores: mean precision, recall and F1 of runs over the queries of their split, one row per run, or per
-- run and part; by part, then best first, then by name.
--
-- Each query has equal weight (macro average); micro_ is over all documents together. Queries without gold are omitted
-- and counted in without_gold; if empty is true they are scored by the convention of answer_scores. abstained: counted
-- queries for which nothing is returned. Means are NULL if no query counts. by: template, language, or NULL for the
-- whole split (answer_part).
-- Raises IR101 no such run, IR202 invalid value of by.
CREATE OR REPLACE FUNCTION answer_mean_scores(runs text[], by text DEFAULT NULL, empty boolean DEFAULT false)
RETURNS TABLE (part text, run text, queries bigint, abstained bigint, without_gold bigint,
               "precision" double precision, recall double precision, f1 double precision,  -- noqa: RF06
               micro_precision double precision, micro_recall double precision, micro_f1 double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
    WITH scored AS (
        SELECT answer_part(s.query, s.template, answer_mean_scores.by) AS part, s.*,
               s.gold > 0 OR answer_mean_scores.empty AS counts
          FROM answer_scores(answer_mean_scores.runs) s)
    SELECT s.part, s.run, count(*) FILTER (WHERE s.counts), count(*) FILTER (WHERE s.counts AND s.predicted = 0),
           count(*) FILTER (WHERE s.gold = 0), avg(s.precision) FILTER (WHERE s.counts),
           avg(s.recall) FILTER (WHERE s.counts), avg(s.f1) FILTER (WHERE s.counts),
           sum(s.tp) FILTER (WHERE s.counts)::double precision / nullif(sum(s.predicted) FILTER (WHERE s.counts), 0),
           sum(s.tp) FILTER (WHERE s.counts)::double precision / nullif(sum(s.gold) FILTER (WHERE s.counts), 0),
           2.0 * sum(s.tp) FILTER (WHERE s.counts)::double precision
               / nullif(sum(s.predicted + s.gold) FILTER (WHERE s.counts), 0)
      FROM scored s
     GROUP BY s.part, s.run
     ORDER BY s.part COLLATE "C", 8 DESC NULLS LAST, s.run COLLATE "C"
$$;
COMMENT ON FUNCTION answer_mean_scores(text[], text, boolean) IS
    'Mean precision, recall and F1 of runs over the queries of their split or of its parts; in [0, 1]; NULL if no '
    'query counts';
