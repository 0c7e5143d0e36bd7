-- impact_queries: what another edition of the judgments does to the score of each run on each query; in no order.
--
-- a: the edition that is compared with, b the other one; shift = value_b - value_a. A query the run has nothing for
-- scores 0. every false: the queries that both judge; true: all that either judges, NULL where one does not.
-- runs: their names, all if none is named. Raises IR101 no such run, IR102 no such edition, IR108 no such measure,
-- IR201 cutoff below 1, IR405 no run, or no query that both judge.
CREATE OR REPLACE FUNCTION public.impact_queries(
    a text, b text, measure text DEFAULT 'nDCG@10', runs text[] DEFAULT '{}', every boolean DEFAULT false)
RETURNS TABLE (run text, query text, value_a double precision, value_b double precision, shift double precision)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT run, query, x.value, y.value, y.value - x.value
      FROM scores(impact_queries.runs, impact_queries.a, ARRAY[impact_queries.measure]) x
      FULL JOIN scores(impact_queries.runs, impact_queries.b, ARRAY[impact_queries.measure]) y USING (run, query)
     WHERE impact_queries.every OR (x.value IS NOT NULL AND y.value IS NOT NULL);
    IF NOT FOUND AND NOT EXISTS (SELECT FROM st1_runs) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'no run is stored',
            HINT = '''stc runs import'' takes runs in, ''stc retrieval run'' makes them.';
    ELSIF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('no run has a score on a query that both %L and %L judge', impact_queries.a,
                             impact_queries.b),
            HINT = '--all takes the mean over the queries of each. A run known by imported scores has those of their '
                   'edition alone.';
    END IF;
END
$$;
COMMENT ON FUNCTION public.impact_queries(text, text, text, text[], boolean) IS
    'What another edition of the judgments does to the score of each run on each query';
