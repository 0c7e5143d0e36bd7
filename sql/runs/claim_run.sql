-- claim_run: takes the name of a run for this transaction. Whoever else stores a run under it waits, and then sees whether it is taken;
-- without that, the second of two at once would meet the unique index in place of a sentence.
CREATE OR REPLACE FUNCTION claim_run(run text) RETURNS void
LANGUAGE sql VOLATILE SET search_path = public, pg_temp AS $$
    SELECT pg_advisory_xact_lock(hashtext('stc run'), hashtext(claim_run.run))
$$;
COMMENT ON FUNCTION claim_run(text) IS 'Takes the name of a run for this transaction; whoever else stores a run under it waits';
