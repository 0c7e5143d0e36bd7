-- asked_scores: mean scores that your team requested (ask_scores) for a run on a hidden edition, rounded to two
-- decimals. One row per measure, with the time of the request; of several requests for the run, the last.
--
-- Returns only stored results of a committed transaction (score_requests): a visible row that was not written by this
-- transaction is committed. It reads neither judgments nor rankings, so changes by the caller have no effect on it.
--
-- Raises IR405 no request, or not scored yet, IR410 no team.
--
-- Safe because: it reads only stored requests of the caller's team, compares names and never executes them.
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
            MESSAGE = format('%s is not a member of a team; only teams can request scores', caller_name()),
            HINT = 'Organisers can score every run: stc evaluation score.';
    END IF;
    SELECT r.measures, r.means, r.scored, r.asked INTO request
      FROM ask_requests r
      JOIN qrels_editions e ON e.id = r.edition
     WHERE r.team = own_team AND r.run = asked_scores.run COLLATE "C" AND e.edition = asked_scores.edition COLLATE "C"
       AND r.xact <> own_xact
     ORDER BY r.asked DESC, r.id DESC LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('team %s has no committed request for run %L on edition %L', own_team, asked_scores.run,
                             asked_scores.edition),
            HINT = 'Run SELECT ask_scores(run, edition) and COMMIT; then SELECT score_requests() and COMMIT.';
    ELSIF request.means IS NULL OR request.scored = own_xact THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('the request for run %L on edition %L is not scored yet', asked_scores.run,
                             asked_scores.edition),
            HINT = 'Run SELECT score_requests() and COMMIT; asked_scores then returns the means.';
    END IF;
    RETURN QUERY SELECT t.measure, t.mean, request.asked
        FROM unnest(request.measures, request.means) AS t (measure, mean);
END
$$;
COMMENT ON FUNCTION public.asked_scores(text, text) IS
    'The means that your team requested for a run on a hidden edition, rounded to two decimals, with the time of '
    'the request';
