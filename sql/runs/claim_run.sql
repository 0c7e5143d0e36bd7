-- claim_run: reserve the name of a run for this transaction. Other sessions that store a run with this name wait, and
-- then see whether the name is used; otherwise they would fail on the unique index.
--
-- shared: sessions that search queries of the same unfinished run share the name. They only wait for those that do not.
--
-- Upgrades wait until the transaction ends, and claim_run waits for a running upgrade, which locks stc.removals: every
-- role that stores runs may insert there. Otherwise some queries of a run could be answered by functions of the old
-- version and others by the new.
-- Raises IR410 the role may not store runs.
CREATE OR REPLACE FUNCTION claim_run(run text, shared boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF NOT has_any_column_privilege('public.st1_runs', 'INSERT') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410', MESSAGE = format('%s may not store runs', current_user),
            HINT = 'Connect as an organiser or as a participant.';
    END IF;
    LOCK TABLE removals IN ROW EXCLUSIVE MODE;
    IF claim_run.shared THEN
        PERFORM pg_advisory_xact_lock_shared(hashtext('stc run'), hashtext(claim_run.run));
    ELSE
        PERFORM pg_advisory_xact_lock(hashtext('stc run'), hashtext(claim_run.run));
    END IF;
END
$$;
COMMENT ON FUNCTION claim_run(text, boolean) IS
    'Reserves the name of a run for this transaction; other sessions that store a run with this name wait';
