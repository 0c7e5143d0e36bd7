-- zscore_norms: mean and standard deviation of the scores of some runs, one row per query of the edition and measure;
-- in no order.
--
-- The reference runs by which scores are standardised (zscores). deviation is the one of a sample, divided by n - 1;
-- exactly 0 where all runs score alike. (Webber, Moffat & Zobel, SIGIR 2008)
--
-- runs: their names, all that have something for the edition (edition_runs) if none is named.
-- Raises IR101, IR102, IR108, IR201 (scores), IR405 for less than two runs.
CREATE OR REPLACE FUNCTION zscore_norms(runs text[], edition text, measures text[], complete boolean DEFAULT true)
RETURNS TABLE (query text, measure text, mean double precision, deviation double precision, runs_used bigint)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp AS $$
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
            MESSAGE = format('%s reference run%s: no deviation', used, CASE WHEN used <> 1 THEN 's' END),
            HINT = 'Scores are standardised by two runs or more; the more, the surer.';
    END IF;
    RETURN QUERY
    SELECT s.query, s.measure,
           CASE WHEN min(s.value) = max(s.value) THEN min(s.value) ELSE avg(s.value) END,
           CASE WHEN min(s.value) = max(s.value) THEN 0 ELSE stddev_samp(s.value) END, count(*)
      FROM scores(names, zscore_norms.edition, zscore_norms.measures, zscore_norms.complete) s
     GROUP BY s.query, s.measure;
END
$$;
COMMENT ON FUNCTION zscore_norms(text[], text, text[], boolean) IS
    'Mean and standard deviation of the scores of some runs, per query and measure';
