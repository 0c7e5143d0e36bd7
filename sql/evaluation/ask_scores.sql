-- ask_scores: request the mean scores of one of your team's runs on a hidden edition, if the organisers allow it
-- (allow_asks). Returns the number of requests your team has left.
--
--   SELECT ask_scores('ours', 'test');              -- psql commits each statement
--   SELECT score_requests();
--   SELECT * FROM asked_scores('ours', 'test');
--
-- Copies the run's rankings for the queries of the edition (take_calls). A later transaction scores the copy
-- (score_requests), and a third returns the means (asked_scores). A request that is rolled back is neither counted nor
-- scored, and computes nothing that depends on a grade.
--
-- Repeating a request is free if the run's name and content, the edition and the measures are unchanged.
--
-- Raises IR410 no team, and the errors of take_calls.
CREATE OR REPLACE FUNCTION public.ask_scores(run text, edition text) RETURNS integer
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    own_team CONSTANT text := member_team();
BEGIN
    INSERT INTO ask_calls (team, member, run, edition)
    VALUES (own_team, current_user, coalesce(ask_scores.run, ''), ask_scores.edition);
    RETURN (SELECT h.asks_left FROM hidden_editions() h WHERE h.edition = ask_scores.edition COLLATE "C");
END
$$;
COMMENT ON FUNCTION public.ask_scores(text, text) IS
    'Requests the means of a run of your team on a hidden edition, for score_requests to compute; returns the '
    'number of requests left';
