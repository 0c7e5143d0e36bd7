-- ask_scores: asks for the mean scores of a run of one's own team on a hidden edition, where the organisers allow it (allow_asks); returns
-- how often the team may ask again. A later transaction is told, by asked_scores: what was rolled back is not counted, and not told.
--
--   SELECT ask_scores('ours', 'test');     -- and COMMIT, which psql does by itself
--   SELECT * FROM asked_scores('ours', 'test');
--
-- The run must have at least ten documents of the corpus for each query of the edition: the mean of a run with one document is its label.
-- Nothing is computed here, so an ask that is rolled back takes no time that could tell. A run that was asked about as it is counts once.
-- Two asks of a team at once: the second waits for the first.
--
-- SECURITY DEFINER: who asks may neither read the edition nor write what is counted.
-- Raises IR101 no such run of the team, IR102 no such edition, IR202 it is open, IR405 it has no judgment, IR410 of no team, or asking is
-- not allowed, IR411 no ask is left, IR412 the run is too short.
CREATE OR REPLACE FUNCTION ask_scores(run text, edition text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    own_team CONSTANT text := my_team();
    asking record;
    place record;
    found_queries bigint;
    short bigint;
    used integer;
BEGIN
    IF own_team IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410', MESSAGE = format('%s is of no team, and a team asks', caller_name()),
            HINT = 'Organisers score every run: stc evaluation score.';
    END IF;
    SELECT n.id, n.version, n.run INTO asking FROM st1_runs n WHERE n.run = ask_scores.run COLLATE "C" AND n.team = own_team;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR101', MESSAGE = format('the team %s has no run %L', own_team, ask_scores.run), HINT = concat(
            'Did you mean ' || quote_literal(nearest_name(ask_scores.run, ARRAY(
                SELECT n.run FROM st1_runs n WHERE n.team = own_team))) || '? ', '''stc runs list'' shows those there are.');
    END IF;
    SELECT e.id, e.version, e.hidden, coalesce(a.asks, 0) AS asks, a.measures INTO place
      FROM qrels_editions e LEFT JOIN ask_allowances a ON a.edition = e.id WHERE e.edition = ask_scores.edition COLLATE "C";
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR102', MESSAGE = format('there is no edition %L', ask_scores.edition),
            HINT = 'SELECT * FROM hidden_editions() has those one may ask about.';
    ELSIF NOT place.hidden THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the edition %L is open', ask_scores.edition),
            HINT = 'Score it, query by query: stc evaluation score.';
    ELSIF place.asks = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410', MESSAGE = format('nobody may ask on the edition %L', ask_scores.edition),
            HINT = 'The organisers allow it: stc qrels allow EDITION --asks N.';
    END IF;
    SELECT count(*), count(*) FILTER (WHERE (SELECT count(*) FROM st1_rankings k JOIN dblp d ON d.id = k.doc AND NOT d.stub
                                              WHERE k.run = asking.id AND k.query = q.id) < 10)
      INTO found_queries, short
      FROM st1_queries q WHERE EXISTS (SELECT FROM qrels_judgments j WHERE j.hidden AND j.edition = place.id AND j.query = q.id);
    IF found_queries = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = format('the edition %L has no judgment yet', ask_scores.edition),
            HINT = 'The organisers import them.';
    ELSIF short > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR412',
            MESSAGE = format('the run %s has fewer than ten documents of the corpus for %s of the %s queries', asking.run, short, found_queries),
            HINT = 'Means are told of runs with at least ten for every query. Nothing was counted.';
    END IF;
    IF NOT EXISTS (SELECT FROM ask_requests r WHERE r.edition = place.id AND r.team = own_team AND r.run_id = asking.id
                      AND (r.run_version, r.edition_version, r.measures) = (asking.version, place.version, place.measures)) THEN
        INSERT INTO ask_counts AS c (edition, team, asked) VALUES (place.id, own_team, 1)
        ON CONFLICT (edition, team) DO UPDATE SET asked = c.asked + 1 WHERE c.asked < place.asks
        RETURNING c.asked INTO used;
        IF used IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'IR411',
                MESSAGE = format('the team %s has asked %s times on the edition %L, as often as it may', own_team, place.asks, ask_scores.edition),
                HINT = 'What it was told it is told again: asked_scores(run, edition).';
        END IF;
        INSERT INTO ask_requests (edition, team, member, run, run_id, run_version, edition_version, measures, xact)
        VALUES (place.id, own_team, caller_name(), asking.run, asking.id, asking.version, place.version, place.measures,
                pg_current_xact_id()::text::bigint);
    END IF;
    RETURN (SELECT greatest(place.asks - c.asked, 0) FROM ask_counts c WHERE c.edition = place.id AND c.team = own_team);
END
$$;
COMMENT ON FUNCTION ask_scores(text, text) IS
    'Asks for the means of a run of one''s team on a hidden edition; asked_scores tells them later';
