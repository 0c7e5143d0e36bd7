-- score_requests: score the pending requests of your team (ask_scores) and store the rounded means. Returns the number
-- of requests scored.
--
-- This is the second of three transactions: ask_scores, score_requests, asked_scores, each committed before the next.
-- The trigger score_calls does the work.
--
--   SELECT score_requests();   -- and COMMIT, unless psql commits automatically
CREATE OR REPLACE FUNCTION public.score_requests() RETURNS integer
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    own_team CONSTANT text := member_team();
    pending CONSTANT bigint[] := ARRAY(
        SELECT r.id FROM ask_requests r
         WHERE r.means IS NULL AND r.xact <> coalesce(pg_current_xact_id_if_assigned()::text::bigint, -1));
BEGIN
    INSERT INTO ask_calls (team, member) VALUES (own_team, current_user);
    -- the row policy hides results of this transaction
    RETURN cardinality(pending) - (SELECT count(*) FROM ask_requests r WHERE r.id = ANY (pending));
END
$$;
COMMENT ON FUNCTION public.score_requests() IS
    'Scores the committed requests of your team on hidden editions and returns their number; asked_scores returns '
    'the means after COMMIT';
