-- claim_run: takes the name of a run for this transaction. Whoever else stores a run under it waits, and then sees whether it is taken;
-- without that, the second of two at once would meet the unique index in place of a sentence.
--
-- An upgrade waits until the transaction ends, and this waits for an upgrade (22464 is its lock): else some queries of a run would be
-- answered by the functions before, the others by those after.
CREATE OR REPLACE FUNCTION claim_run(run text) RETURNS void
LANGUAGE sql VOLATILE SET search_path = public, pg_temp AS $$
    SELECT pg_advisory_xact_lock_shared(22464);
    SELECT pg_advisory_xact_lock(hashtext('stc run'), hashtext(claim_run.run))
$$;
COMMENT ON FUNCTION claim_run(text) IS 'Takes the name of a run for this transaction; whoever else stores a run under it waits';
