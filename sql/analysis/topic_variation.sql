-- topic_variation: the scores of each run on the formulations of each topic (formulation_scores), by run and topic.
--
--   mean, variance       over the queries of the topic; the variance has the divisor queries - 1
--   best, worst          highest and lowest value, and the first query by name that has it
--
-- Raises the errors of formulation_scores.
CREATE OR REPLACE FUNCTION topic_variation(
    runs text[], edition text, measure text DEFAULT 'nDCG@10', query_set text DEFAULT 'all')
RETURNS TABLE (run text, topic text, queries integer, mean double precision, variance double precision,
               best double precision, best_query text, worst double precision, worst_query text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT f.run, f.topic, count(*)::integer, avg(f.value ORDER BY f.query COLLATE "C"),
           var_samp(f.value ORDER BY f.query COLLATE "C"), max(f.value),
           (array_agg(f.query ORDER BY f.value DESC, f.query COLLATE "C"))[1], min(f.value),
           (array_agg(f.query ORDER BY f.value, f.query COLLATE "C"))[1]
      FROM formulation_scores(topic_variation.runs, topic_variation.edition, topic_variation.measure,
                              topic_variation.query_set) f
     GROUP BY f.run, f.topic ORDER BY f.run COLLATE "C", f.topic COLLATE "C"
$$;
COMMENT ON FUNCTION topic_variation(text[], text, text, text) IS
    'Mean, variance, best and worst score of each run on the queries of each topic';
