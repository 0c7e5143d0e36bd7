-- score_grid: the values of one measure, one row for every run and every query, so that runs are paired by the query's
-- name, whatever order their rankings came in and whatever they left out; in no order.
--
-- missing: 'zero' counts a query a run has no value for as 0, over all queries of the edition (trec_eval -c); 'drop'
-- leaves it NULL. A value that is NULL or NaN is one that is missing. runs: their names, all if none is named; one that
-- is known by scores of other editions alone has no row.
-- Raises IR101 no such run, IR102 no such edition, IR108 no such measure, IR202 another word for missing.
CREATE OR REPLACE FUNCTION score_grid(runs text[], edition text, measure text, missing text DEFAULT 'zero')
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    keys CONSTANT integer[] := run_keys(score_grid.runs);
BEGIN
    IF score_grid.missing IS NULL OR score_grid.missing NOT IN ('zero', 'drop') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('missing is %s', coalesce(quote_literal(score_grid.missing), 'NULL')),
            HINT = 'zero counts a query a run has no value for as 0, drop leaves it out.';
    END IF;
    PERFORM edition_key(score_grid.edition);  -- also where there is no run to ask the scores of
    RETURN QUERY
    WITH scored AS MATERIALIZED (
        SELECT s.run, s.query, nullif(s.value, 'NaN') AS value
          FROM scores(score_grid.runs, score_grid.edition, ARRAY[score_grid.measure], score_grid.missing = 'zero') s)
    SELECT r.run, q.query, coalesce(s.value, CASE score_grid.missing WHEN 'zero' THEN 0 END)
      FROM st1_runs r
     CROSS JOIN (SELECT DISTINCT query FROM scored) q
      LEFT JOIN scored s ON s.run = r.run AND s.query = q.query
     WHERE r.id = ANY (keys)
       AND (r.run IN (SELECT o.run FROM scored o) OR EXISTS (SELECT FROM st1_rankings k WHERE k.run = r.id));
END
$$;
COMMENT ON FUNCTION score_grid(text[], text, text, text) IS
    'The values of one measure for every run and every query; a missing one is 0 or NULL';
