-- zscores: standardised scores, one row per run, query of the edition and measure; unordered.
--
--   z = (value - mean) / deviation, both of the reference runs for that query and measure
--
-- Hard and easy queries then have equal weight in a mean. value is NULL if all reference runs score the same and this
-- run does not. (Webber, Moffat & Zobel, SIGIR 2008)
--
-- runs, reference: run names; an empty array means all runs with rankings or scores for the edition (edition_runs).
-- query_set: only the queries of a set (function query_set).
-- Raises IR101, IR102, IR103, IR108, IR201 (scores), IR405 fewer than two reference runs.
CREATE OR REPLACE FUNCTION public.zscores(
    runs text[], edition text, measures text[], reference text[] DEFAULT '{}', complete boolean DEFAULT true,
    query_set text DEFAULT 'all')
RETURNS TABLE (run text, query text, measure text, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT s.run, s.query, s.measure, zscore(s.value, n.mean, n.deviation)
      FROM scores(CASE WHEN cardinality(zscores.runs) > 0 THEN zscores.runs ELSE edition_runs(zscores.edition) END,
                  zscores.edition,
                  zscores.measures, zscores.complete, query_set => zscores.query_set) s
      LEFT JOIN zscore_norms(zscores.reference, zscores.edition, zscores.measures, zscores.complete,
                             zscores.query_set) n
        ON n.query = s.query AND n.measure = s.measure
$$;
COMMENT ON FUNCTION public.zscores(text[], text, text[], text[], boolean, text) IS
    'Scores in standard deviations from the mean of reference runs, per run, query and measure; NULL if undefined';
