-- run_measure: the mean of a measure over the first documents of runs, one row a run and judged query of the edition; in no order.
--
-- value is over those of the first cutoff documents that have the measure, which documents counts; NULL where none has it. A query a
-- run has nothing for has no row, nor has a run that is known by imported scores alone.
-- Raises IR101 no such run, IR102 no such edition, IR108 no such measure, IR201 a cutoff below 1.
CREATE OR REPLACE FUNCTION run_measure(runs text[], edition text, measure text, cutoff integer DEFAULT 10)
RETURNS TABLE (run text, query text, value double precision, documents bigint)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp SET jit = off AS $$
DECLARE
    value CONSTANT text := measure_column(run_measure.measure);
    key record;
BEGIN
    SELECT * INTO key FROM evaluation_keys(run_measure.runs, run_measure.edition, ARRAY[run_measure.cutoff]);
    RETURN QUERY EXECUTE format(
        'SELECT n.run, q.query, avg(d.%1$s ORDER BY r.rank), count(d.%1$s)'
        '  FROM st1_rankings r JOIN st1_runs n ON n.id = r.run JOIN st1_queries q ON q.id = r.query'
        '  LEFT JOIN measured_documents d ON d.id = r.doc'
        ' WHERE r.run = ANY ($1) AND r.query = ANY ($2) AND r.rank <= $3 GROUP BY n.run, q.query', value)
        USING key.run_ids, key.query_ids, run_measure.cutoff;
END
$$;
COMMENT ON FUNCTION run_measure(text[], text, text, integer) IS 'The mean of a measure over the first documents of runs, by query';
