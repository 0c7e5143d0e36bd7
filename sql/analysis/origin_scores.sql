-- origin_scores: scores of runs per judged query of an edition, with the family of the run and the origin of the query.
-- One row per run and query.
--
-- Basis of the study of synthetic queries. Imported scores and computed scores are both used. A run scores 0 for a
-- query for which it has no ranking (missing = 'zero' in score_grid).
-- query_set: only the queries of a set (function query_set).
-- Raises IR101, IR102, IR103, IR108, IR202 (score_grid).
CREATE OR REPLACE FUNCTION public.origin_scores(
    edition text, measure text DEFAULT 'nDCG@10', runs text[] DEFAULT '{}', query_set text DEFAULT 'all')
RETURNS TABLE (run text, family text, query text, origin text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT g.run, family_name(n.family), g.query, q.origin, g.value
      FROM score_grid(origin_scores.runs, origin_scores.edition, origin_scores.measure, 'zero',
                      origin_scores.query_set) g
      JOIN st1_runs n ON n.run = g.run COLLATE "C"
      JOIN st1_queries q ON q.query = g.query COLLATE "C"
     ORDER BY g.run COLLATE "C", g.query COLLATE "C"
$$;
COMMENT ON FUNCTION public.origin_scores(text, text, text[], text) IS
    'Scores of runs per query of an edition, with the family of the run and the origin of the query; by run and query';
