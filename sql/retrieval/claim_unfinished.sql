-- claim_unfinished: an unfinished run of the caller, with its name reserved for this transaction (claim_run). NULL if
-- it does not exist, or if the collection changed since it was begun (run_state).
--
-- shared: with others that search its queries (claim_run).
CREATE OR REPLACE FUNCTION claim_unfinished(unfinished integer, shared boolean DEFAULT false)
RETURNS unfinished_runs
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    made unfinished_runs;
BEGIN
    PERFORM claim_run(u.run, claim_unfinished.shared) FROM unfinished_runs u
      WHERE u.id = claim_unfinished.unfinished AND u.maker = current_user COLLATE "C";
    -- again, because another session may have removed it in the meantime
    SELECT * INTO made FROM unfinished_runs u
     WHERE u.id = claim_unfinished.unfinished AND u.maker = current_user COLLATE "C";
    IF made.state IS DISTINCT FROM
        run_state(made.params ->> 'system', nullif(made.params -> 'filter', 'null'), made.params ->> 'model',
                  coalesce(made.params ->> 'queries', 'all'), made.params ->> 'query_from')
    THEN
        RETURN NULL;
    END IF;
    RETURN made;
END
$$;
COMMENT ON FUNCTION claim_unfinished(integer, boolean) IS
'An unfinished run of the caller with its name reserved; NULL if it does not exist or the collection changed';
