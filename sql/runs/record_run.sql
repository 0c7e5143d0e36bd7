-- record_run: store the provenance (run_metadata) of a run with the run. Everything that creates runs calls it, so that
-- every run has its provenance, whatever interface made it.
CREATE OR REPLACE FUNCTION record_run(run integer) RETURNS void
LANGUAGE sql VOLATILE SET search_path = stc_all, stc, public, pg_temp AS $$
    UPDATE st1_runs n SET metadata = run_metadata(n.run) WHERE n.id = record_run.run
$$;
COMMENT ON FUNCTION record_run(integer) IS 'Stores the provenance of a run (run_metadata) with the run';
