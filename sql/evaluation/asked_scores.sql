-- asked_scores: the mean scores that one's own team requested (ask_scores), of a run on a hidden edition, rounded to
-- two decimals. One row per measure, with the time of the request. Of several requests about runs of that name the last
-- one.
--
-- Returns stored results only, of a transaction that has committed (score_requests): a row that is visible and was not
-- written by this transaction is committed. It reads no judgment and no ranking, so whatever the caller changes,
-- changes nothing here.
--
-- Raises IR405 nothing was requested, or it is not scored yet, IR410 of no team.
--
-- Safe because: it reads stored requests of the caller's team only, compares names and never executes them.
CREATE OR REPLACE FUNCTION public.asked_scores(run text, edition text)
RETURNS TABLE (measure text, mean double precision, asked timestamp with time zone)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    own_team CONSTANT text := my_team();
    own_xact CONSTANT bigint := coalesce(pg_current_xact_id_if_assigned()::text::bigint, -1);
    request record;
BEGIN
    IF own_team IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410',
            MESSAGE = format('%s belongs to no team, and requests are made by teams', caller_name()),
            HINT = 'Organisers score every run: stc evaluation score.';
    END IF;
    SELECT r.measures, r.means, r.scored, r.asked INTO request
      FROM ask_requests r
      JOIN qrels_editions e ON e.id = r.edition
     WHERE r.team = own_team AND r.run = asked_scores.run COLLATE "C" AND e.edition = asked_scores.edition COLLATE "C"
       AND r.xact <> own_xact
     ORDER BY r.asked DESC, r.id DESC LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('the team %s has no committed request about %L on %L', own_team, asked_scores.run,
                             asked_scores.edition),
            HINT = 'SELECT ask_scores(run, edition) and COMMIT; then SELECT score_requests() and COMMIT.';
    ELSIF request.means IS NULL OR request.scored = own_xact THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('the request about %L on %L is not scored yet', asked_scores.run, asked_scores.edition),
            HINT = 'SELECT score_requests() and COMMIT: the means are returned once they are committed.';
    END IF;
    RETURN QUERY SELECT t.measure, t.mean, request.asked
        FROM unnest(request.measures, request.means) AS t (measure, mean);
END
$$;
COMMENT ON FUNCTION public.asked_scores(text, text) IS
'The stored, rounded means that one''s team requested, of a run on a hidden edition';
