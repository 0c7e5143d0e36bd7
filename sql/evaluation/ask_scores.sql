-- ask_scores: requests the mean scores of a run of one's own team on a hidden edition, where the organisers allow it
-- (allow_asks). Returns how many requests the team has left.
--
--   SELECT ask_scores('ours', 'test');              -- each statement commits by itself in psql
--   SELECT score_requests();
--   SELECT * FROM asked_scores('ours', 'test');
--
-- Copies what the run ranks for the queries of the edition. The copy is what is scored, in a later transaction
-- (score_requests), and its means are returned by a third (asked_scores). A request that is rolled back is neither
-- counted nor scored, and it computes nothing that depends on a grade. The ranks of the copy are 1, 2, 3, … in the
-- order of the run's ranks.
--
-- The run must have at least ten documents of the corpus for each query of the edition: the mean of a run with one
-- document is its label. The check, the copy and the comparison with earlier requests read the rankings once. Repeating
-- a request is free if the run, by name and content, the edition and the measures are unchanged. Two requests of a team
-- at once: the second waits for the first.
--
-- Raises IR101 no such run of the team, IR102 no such edition, IR202 it is open, IR405 it has no judgment, IR410 of no
-- team, or asking is not allowed, IR411 no request is left, IR412 the run is too short.
--
-- Safe because: names are compared, never executed; the run must belong to the caller's team; it writes requests of
-- that team only, counted against its allowance, and reads of the judgments which queries they are for.
CREATE OR REPLACE FUNCTION public.ask_scores(run text, edition text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = stc, public, pg_temp SET client_min_messages = error AS $$
#variable_conflict use_column
DECLARE
    own_team CONSTANT text := my_team();
    asking record;
    place record;
    copied record;
    digest_now bytea;
    earlier bigint;
    request_id bigint;
    used integer;
BEGIN
    IF own_team IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410',
            MESSAGE = format('%s belongs to no team, and requests are made by teams', caller_name()),
            HINT = 'Organisers score every run: stc evaluation score.';
    END IF;
    SELECT n.id, n.run INTO asking FROM st1_runs n WHERE n.run = ask_scores.run COLLATE "C" AND n.team = own_team;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR101',
            MESSAGE = format('the team %s has no run %L', own_team, ask_scores.run), HINT = concat(
            'Did you mean ' || quote_literal(nearest_name(ask_scores.run, ARRAY(
                SELECT n.run FROM st1_runs n
                 WHERE n.team = own_team))) || '? ', '''stc runs list'' shows those there are.');
    END IF;
    SELECT e.id, e.version, e.hidden, coalesce(a.asks, 0) AS asks, a.measures INTO place
      FROM qrels_editions e LEFT JOIN ask_allowances a ON a.edition = e.id
     WHERE e.edition = ask_scores.edition COLLATE "C";
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR102', MESSAGE = format('there is no edition %L', ask_scores.edition),
            HINT = 'SELECT * FROM hidden_editions() lists those that accept requests.';
    ELSIF NOT place.hidden THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the edition %L is open', ask_scores.edition),
            HINT = 'Score it, query by query: stc evaluation score.';
    ELSIF place.asks = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410',
            MESSAGE = format('nobody may ask on the edition %L', ask_scores.edition),
            HINT = 'The organisers allow it: stc qrels allow EDITION --asks N.';
    END IF;
    PERFORM FROM ask_measures(place.measures);  -- an allowance of an earlier version may name others
    SELECT count(*) AS queries, count(*) FILTER (WHERE coalesce(l.whole, 0) < 10) AS short,
           array_agg(q.id ORDER BY q.id) FILTER (WHERE l.docs IS NOT NULL) AS ids,
           array_agg(l.docs::text ORDER BY q.id) FILTER (WHERE l.docs IS NOT NULL) AS lists
      INTO copied
      FROM st1_queries q
      LEFT JOIN LATERAL (
           SELECT array_agg(k.doc ORDER BY k.rank, k.doc) AS docs, count(*) FILTER (WHERE NOT d.stub) AS whole
             FROM st1_rankings k JOIN dblp d ON d.id = k.doc WHERE k.run = asking.id AND k.query = q.id) l ON true
     WHERE EXISTS (SELECT FROM qrels_judgments j WHERE j.hidden AND j.edition = place.id AND j.query = q.id);
    IF copied.queries = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('the edition %L has no judgment yet', ask_scores.edition),
            HINT = 'The organisers import them.';
    ELSIF copied.short > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR412',
            MESSAGE = format('the run %s has fewer than ten documents of the corpus for %s of the %s queries',
                             asking.run, copied.short,
                             copied.queries),
            HINT = 'Requests need at least ten for every query. Nothing was counted.';
    END IF;
    digest_now := sha256(convert_to(concat(copied.ids, copied.lists), 'UTF8'));
    SELECT r.id INTO earlier FROM ask_requests r
     WHERE r.edition = place.id AND r.team = own_team AND r.run = asking.run
       AND (r.digest, r.edition_version, r.measures) = (digest_now, place.version, place.measures)
     ORDER BY r.id DESC LIMIT 1;
    IF earlier IS NULL THEN
        INSERT INTO ask_counts AS c (edition, team, asked) VALUES (place.id, own_team, 1)
        ON CONFLICT (edition, team) DO UPDATE SET asked = c.asked + 1 WHERE c.asked < place.asks
        RETURNING c.asked INTO used;
        IF used IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'IR411',
                MESSAGE = format('the team %s has made %s requests on the edition %L, as many as it may', own_team,
                                 place.asks,
                                 ask_scores.edition),
                HINT = 'Earlier results stay readable: asked_scores(run, edition).';
        END IF;
        INSERT INTO ask_requests (edition, team, member, run, digest, edition_version, measures, xact, asked)
        VALUES (place.id, own_team, caller_name(), asking.run, digest_now, place.version, place.measures,
                pg_current_xact_id()::text::bigint, clock_timestamp())
        RETURNING id INTO request_id;
        INSERT INTO ask_rankings (request, query, docs)
        SELECT request_id, l.query, l.docs::bigint[] FROM unnest(copied.ids, copied.lists) AS l (query, docs);
    ELSE  -- where the run is again as it was, asked_scores returns these means, not those in between
        UPDATE ask_requests r SET asked = clock_timestamp()
         WHERE r.id = earlier AND EXISTS (
               SELECT FROM ask_requests o
                WHERE o.edition = r.edition AND o.team = r.team AND o.run = r.run
                  AND (o.asked, o.id) > (r.asked, r.id));
    END IF;
    RETURN (SELECT greatest(place.asks - c.asked, 0) FROM ask_counts c
             WHERE c.edition = place.id AND c.team = own_team);
END
$$;
COMMENT ON FUNCTION public.ask_scores(text, text) IS
'Requests the means of a run of one''s team on a hidden edition; score_requests scores it, asked_scores returns them';
