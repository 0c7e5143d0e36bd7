-- record_run: store how a run has just been made (run_metadata) with the run. What fills a run calls it, so that a run
-- has its provenance whoever made it and from where.
CREATE OR REPLACE FUNCTION record_run(run integer) RETURNS void
LANGUAGE sql VOLATILE SET search_path = stc, public, pg_temp AS $$
    UPDATE st1_runs n SET metadata = run_metadata(n.run) WHERE n.id = record_run.run
$$;
COMMENT ON FUNCTION record_run(integer) IS 'Stores how a run has just been made with the run';
