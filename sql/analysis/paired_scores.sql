-- paired_scores: values of one measure for two runs on the same query, one row per pair of runs and query; unordered.
--
-- Each run is paired with the baseline. Without a baseline all pairs are returned, with the run that sorts first by
-- name in column run.
--
--   query_set   only the queries of a set (function query_set)
--   missing     as in score_grid; with 'drop' the difference is NULL if either run has no value
--   difference  value - value_against, rounded to twelve decimals, so that rounding errors count as ties
--   runs        run names; an empty array means all. The baseline may be outside runs
--
-- Raises IR101, IR102, IR103, IR108, IR202 (score_grid).
CREATE OR REPLACE FUNCTION public.paired_scores(
    runs text[], edition text, measure text, baseline text DEFAULT NULL, missing text DEFAULT 'zero',
    query_set text DEFAULT 'all')
RETURNS TABLE (run text, against text, query text, value double precision, value_against double precision,
               difference double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
    IF paired_scores.baseline IS NOT NULL THEN
        PERFORM run_keys(ARRAY[paired_scores.baseline]);
    END IF;
    RETURN QUERY
    WITH grid AS MATERIALIZED (
        SELECT g.run, g.query, g.value
          FROM score_grid(CASE WHEN cardinality(paired_scores.runs) > 0 AND paired_scores.baseline IS NOT NULL
                               THEN paired_scores.runs || paired_scores.baseline ELSE paired_scores.runs END,
                          paired_scores.edition, paired_scores.measure, paired_scores.missing,
                          paired_scores.query_set) g)
    SELECT a.run, b.run, a.query, a.value, b.value, round((a.value - b.value)::numeric, 12)::double precision
      FROM grid a JOIN grid b ON b.query = a.query
     WHERE CASE WHEN paired_scores.baseline IS NULL THEN a.run < b.run COLLATE "C"
                ELSE b.run = paired_scores.baseline COLLATE "C" AND a.run <> b.run END;
END
$$;
COMMENT ON FUNCTION public.paired_scores(text[], text, text, text, text, text) IS
    'Values of one measure for two runs on the same query: each run with the baseline, or all pairs of runs '
    'without one';
