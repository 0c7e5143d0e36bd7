-- stage_measures: create the empty temporary table incoming_measures, which store_measures reads; it is dropped at the
-- commit. Its columns are version (returned by unmeasured), then those of st1_complexity_metrics.
CREATE OR REPLACE FUNCTION stage_measures()
RETURNS void
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
AS $$
BEGIN
    DROP TABLE IF EXISTS pg_temp.incoming_measures;
    CREATE TEMPORARY TABLE incoming_measures (version xid NOT NULL, LIKE st1_complexity_metrics) ON COMMIT DROP;
END
$$;
COMMENT ON FUNCTION stage_measures() IS 'Create the temporary table incoming_measures, which store_measures reads';
