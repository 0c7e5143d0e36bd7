-- answer_leaderboard: runs over one split with method, parameters and scores, best first; per part if by is given.
--
-- Raises IR113 no such data set, IR202 invalid value of by.
CREATE OR REPLACE FUNCTION answer_leaderboard(set text, split text, by text DEFAULT NULL)
RETURNS TABLE (part text, run text, method text, params jsonb, queries bigint, abstained bigint, without_gold bigint,
               "precision" double precision, recall double precision, f1 double precision)  -- noqa: RF06
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
    WITH there AS (SELECT r.run, r.method, r.params FROM answer_runs r
                    WHERE r.set = answer_set_key(answer_leaderboard.set, answer_leaderboard.split))
    SELECT s.part, s.run, t.method, t.params, s.queries, s.abstained, s.without_gold, s.precision, s.recall, s.f1
      FROM answer_mean_scores(ARRAY(SELECT r.run FROM there r), answer_leaderboard.by) s JOIN there t ON t.run = s.run
     ORDER BY s.part COLLATE "C", s.f1 DESC NULLS LAST, s.run COLLATE "C"
$$;
COMMENT ON FUNCTION answer_leaderboard(text, text, text) IS
    'Runs over one split of answer verification with method, parameters and scores, best first';
