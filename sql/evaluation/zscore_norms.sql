-- zscore_norms: mean and standard deviation of the scores of reference runs, one row per query of the edition and
-- measure; unordered.
--
-- Used by zscores to standardise scores. deviation is the sample standard deviation (divided by n - 1); it is exactly 0
-- if all runs score the same. (Webber, Moffat & Zobel, SIGIR 2008)
--
-- runs: run names; an empty array means all runs with rankings or scores for the edition (edition_runs).
-- query_set: only the queries of a set (function query_set).
-- Raises IR101, IR102, IR103, IR108, IR201 (scores), IR405 fewer than two runs.
CREATE OR REPLACE FUNCTION zscore_norms(runs text[], edition text, measures text[], complete boolean DEFAULT true,
                                        query_set text DEFAULT 'all')
RETURNS TABLE (query text, measure text, mean double precision, deviation double precision, runs_used bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    names text[] := CASE WHEN cardinality(zscore_norms.runs) > 0 THEN zscore_norms.runs
                         ELSE edition_runs(zscore_norms.edition) END;
    used bigint;
BEGIN
    PERFORM evaluation_keys(names, zscore_norms.edition, '{1}');
    used := (SELECT count(DISTINCT n) FROM unnest(names) AS n);
    IF used < 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = 'cannot standardise scores with ' || counted(used, 'reference run'),
            HINT = 'Use at least two reference runs, preferably many more.';
    END IF;
    RETURN QUERY
    SELECT s.query, s.measure,
           CASE WHEN min(s.value) = max(s.value) THEN min(s.value) ELSE avg(s.value) END,
           CASE WHEN min(s.value) = max(s.value) THEN 0 ELSE stddev_samp(s.value) END, count(*)
      FROM scores(names, zscore_norms.edition, zscore_norms.measures, zscore_norms.complete,
                  query_set => zscore_norms.query_set) s
     GROUP BY s.query, s.measure;
END
$$;
COMMENT ON FUNCTION zscore_norms(text[], text, text[], boolean, text) IS
    'Mean and sample standard deviation of the scores of reference runs, per query and measure';
