-- check_isolation: check that the transaction is READ COMMITTED, for a change that compares rows with those of sessions
-- that it waited for: an older snapshot would miss them. what: the change that is refused, as in 'runs are not stored'.
-- Raises IR202 another isolation level.
CREATE OR REPLACE FUNCTION check_isolation(what text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s in a transaction that is %s', check_isolation.what,
                             current_setting('transaction_isolation')),
            HINT = 'Begin it with BEGIN ISOLATION LEVEL READ COMMITTED.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_isolation(text) IS 'Check that the transaction is READ COMMITTED';
