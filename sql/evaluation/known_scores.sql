-- known_scores: imported scores of runs (st1_scores), one row per run, query and measure; all arguments are keys.
--
-- names and trec_names are parallel arrays: the names of the measures and their trec_eval names. complete: a judged
-- query without a score gets 0 if the run has any score of the measure.
CREATE OR REPLACE FUNCTION known_scores(
    runs integer[], edition integer, queries integer[], names text[], trec_names text[], complete boolean)
RETURNS TABLE (run text, query text, measure text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT n.run, q.query, m.name, coalesce(s.value, 0)
      FROM unnest(known_scores.names, known_scores.trec_names) AS m (name, trec_name)
      JOIN st1_runs n ON n.id = ANY (known_scores.runs)
                     AND EXISTS (SELECT FROM st1_scores s
                                  WHERE s.edition = known_scores.edition AND s.run = n.id AND s.measure = m.trec_name)
      JOIN st1_queries q ON q.id = ANY (known_scores.queries)
      LEFT JOIN st1_scores s ON s.edition = known_scores.edition AND s.run = n.id AND s.query = q.id
           AND s.measure = m.trec_name
     WHERE known_scores.complete OR s.run IS NOT NULL
$$;
COMMENT ON FUNCTION known_scores(integer[], integer, integer[], text[], text[], boolean) IS
    'Imported scores of runs, one row per run, query and measure';
