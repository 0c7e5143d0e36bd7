-- asked_scores: mean scores that your team requested (ask_scores) for a run on a hidden edition, rounded to two
-- decimals. One row per measure, with the time of the request; of several requests for the run, the last.
--
-- The row policy of ask_requests returns only requests of the team, and results of committed transactions: a visible
-- row that was not written by this transaction is committed.
--
-- Raises IR405 no request, or not scored yet, IR410 no team.
CREATE OR REPLACE FUNCTION public.asked_scores(run text, edition text)
RETURNS TABLE (measure text, mean double precision, asked timestamp with time zone)
LANGUAGE plpgsql STABLE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    own_team CONSTANT text := member_team();
    request record;
BEGIN
    SELECT r.measures, r.means, r.asked INTO request
      FROM ask_requests r
     WHERE r.team = own_team AND r.run = asked_scores.run COLLATE "C"
       AND r.edition = (SELECT h.id FROM hidden_names h WHERE h.edition = asked_scores.edition COLLATE "C"
                         UNION ALL
                        SELECT e.id FROM qrels_editions e
                         WHERE e.edition = asked_scores.edition COLLATE "C" AND NOT e.hidden)
       AND r.xact <> coalesce(pg_current_xact_id_if_assigned()::text::bigint, -1)
     ORDER BY r.asked DESC, r.id DESC LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('team %s has no committed request for run %L on edition %L', own_team, asked_scores.run,
                             asked_scores.edition),
            HINT = 'Run SELECT ask_scores(run, edition) and COMMIT; then SELECT score_requests() and COMMIT.';
    ELSIF request.means IS NULL THEN
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
