-- tune_grid: the weights that tuning tries for a number of runs: all multiples of 1 / steps that sum to 1, in the order
-- of the runs. There are C(steps + runs − 1, runs − 1) of them: 11 for two runs and 10 steps, 66 for three, 286 for
-- four.
CREATE OR REPLACE FUNCTION tune_grid(runs integer, steps integer)
RETURNS TABLE (weights double precision[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
    WITH RECURSIVE part (parts, rest) AS (
        SELECT '{}'::integer[], tune_grid.steps
        UNION ALL
        SELECT p.parts || n, p.rest - n
          FROM part p, generate_series(CASE cardinality(p.parts) WHEN tune_grid.runs - 1 THEN p.rest
                                            ELSE 0 END, p.rest) n
         WHERE cardinality(p.parts) < tune_grid.runs)
    SELECT ARRAY(SELECT n / tune_grid.steps::double precision FROM unnest(p.parts) WITH ORDINALITY u (n, place)
                  ORDER BY place)
      FROM part p WHERE cardinality(p.parts) = tune_grid.runs
     ORDER BY p.parts
$$;
COMMENT ON FUNCTION tune_grid(integer, integer) IS
'All weights of a number of runs that are multiples of 1/steps and sum to 1';
