-- score_grid: values of one measure for every combination of run and query, so that runs can be paired by query;
-- unordered.
--
--   missing  'zero': a missing value counts as 0, over all queries of the edition (trec_eval -c); 'drop': it is NULL
--   query_set  only the queries of a set (function query_set)
--   runs     run names; an empty array means all. A run that only has scores for other editions has no row
--
-- NULL and NaN count as missing.
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query or set, IR108 no such measure, IR202 invalid
-- value of missing, or no query of the set is judged.
CREATE OR REPLACE FUNCTION score_grid(runs text[], edition text, measure text, missing text DEFAULT 'zero',
                                      query_set text DEFAULT 'all')
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    keys CONSTANT integer[] := run_keys(score_grid.runs);
BEGIN
    IF score_grid.missing IS NULL OR score_grid.missing NOT IN ('zero', 'drop') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('missing is %s', coalesce(quote_literal(score_grid.missing), 'NULL')),
            HINT = 'Use zero to count missing values as 0, or drop to ignore them.';
    END IF;
    PERFORM edition_key(score_grid.edition);  -- reports an unknown edition even if no run is stored
    RETURN QUERY
    WITH scored AS MATERIALIZED (
        SELECT s.run, s.query, nullif(s.value, 'NaN') AS value
          FROM scores(score_grid.runs, score_grid.edition, ARRAY[score_grid.measure], score_grid.missing = 'zero',
                      query_set => score_grid.query_set) s)
    SELECT r.run, q.query, coalesce(s.value, CASE score_grid.missing WHEN 'zero' THEN 0 END)
      FROM st1_runs r
     CROSS JOIN (SELECT DISTINCT query FROM scored) q
      LEFT JOIN scored s ON s.run = r.run AND s.query = q.query
     WHERE r.id = ANY (keys)
       AND (r.run IN (SELECT o.run FROM scored o) OR EXISTS (SELECT FROM st1_rankings k WHERE k.run = r.id));
END
$$;
COMMENT ON FUNCTION score_grid(text[], text, text, text, text) IS
    'Values of one measure for every combination of run and query; a missing value is 0 (zero) or NULL (drop)';
