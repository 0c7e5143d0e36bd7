-- origin_scores: one measure of runs per judged query of an edition, with the family of the run and the origin of the
-- query: what the study of synthetic queries reads. One row a run and query.
--
-- Scores that were imported count as those computed here; a query that a run has nothing for counts 0 (score_grid's
-- 'zero').
-- Raises IR101, IR102, IR108, IR202 (score_grid).
CREATE OR REPLACE FUNCTION public.origin_scores(edition text, measure text DEFAULT 'nDCG@10', runs text[] DEFAULT '{}')
RETURNS TABLE (run text, family text, query text, origin text, value double precision)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT g.run, n.family, g.query, q.origin, g.value
      FROM score_grid(origin_scores.runs, origin_scores.edition, origin_scores.measure, 'zero') g
      JOIN st1_runs n ON n.run = g.run COLLATE "C"
      JOIN st1_queries q ON q.query = g.query COLLATE "C"
     ORDER BY g.run COLLATE "C", g.query COLLATE "C"
$$;
COMMENT ON FUNCTION public.origin_scores(text, text, text[]) IS
    'A measure of runs per query, with the family of the run and the origin of the query';
