-- impact_queries: effect of another edition of the judgments on the score of each run for each query; unordered.
--
--   a, b   the first edition and the edition it is compared with; shift = value_b - value_a
--   every  false: only queries that both editions judge; true: queries that either judges, with NULL where one does not
--   runs   run names; an empty array means all
--   query_set  only the queries of a set (function query_set)
--
-- A run scores 0 for a query for which it has no ranking.
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query or set, IR108 no such measure, IR201 cutoff
-- below 1, IR405 no run is stored, or no query is judged by both.
CREATE OR REPLACE FUNCTION public.impact_queries(
    a text, b text, measure text DEFAULT 'nDCG@10', runs text[] DEFAULT '{}', every boolean DEFAULT false,
    query_set text DEFAULT 'all')
RETURNS TABLE (run text, query text, value_a double precision, value_b double precision, shift double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT run, query, x.value, y.value, y.value - x.value
      FROM scores(impact_queries.runs, impact_queries.a, ARRAY[impact_queries.measure],
                  query_set => impact_queries.query_set) x
      FULL JOIN scores(impact_queries.runs, impact_queries.b, ARRAY[impact_queries.measure],
                       query_set => impact_queries.query_set) y USING (run, query)
     WHERE impact_queries.every OR (x.value IS NOT NULL AND y.value IS NOT NULL);
    IF NOT FOUND AND NOT EXISTS (SELECT FROM st1_runs) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'no run is stored',
            HINT = 'Import runs with ''stc load --as runs'' or make them with ''stc run''.';
    ELSIF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('no run has a score on a query that both %L and %L judge', impact_queries.a,
                             impact_queries.b),
            HINT = 'To average over the queries of each edition, use ''stc qrels impact --all''. Imported scores exist '
                   'only for the edition they were imported for.';
    END IF;
END
$$;
COMMENT ON FUNCTION public.impact_queries(text, text, text, text[], boolean, text) IS
    'Effect of another edition of the judgments on the score of each run for each query; shift is value_b - value_a';
