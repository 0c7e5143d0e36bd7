-- claim_run: takes the name of a run for this transaction. Whoever else stores a run under it waits, and then sees
-- whether it is taken; without that, the second of two at once would meet the unique index in place of a sentence.
--
-- An upgrade waits until the transaction ends, and this waits for an upgrade, which locks stc_objects: else some
-- queries of a run would be answered by the functions before, the others by those after.
--
-- Safe because: it takes a lock that excludes upgrades alone, for roles that may store runs; the upgrade names the
-- session and gives up.
-- Raises IR410 the role may not store runs.
CREATE OR REPLACE FUNCTION claim_run(run text) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = stc, public, pg_temp AS $$
BEGIN
    IF NOT has_any_column_privilege(caller_name(), 'public.st1_runs', 'INSERT') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410', MESSAGE = format('%s may not store runs', caller_name()),
            HINT = 'Connect as an organiser or as a participant.';
    END IF;
    LOCK TABLE stc_objects IN ROW SHARE MODE;
    PERFORM pg_advisory_xact_lock(hashtext('stc run'), hashtext(claim_run.run));
END
$$;
COMMENT ON FUNCTION claim_run(text) IS
'Takes the name of a run for this transaction; whoever else stores a run under it waits';
