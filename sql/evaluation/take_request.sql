-- take_request: trigger that takes a score request (ask_scores) from a new row of ask_calls, and then removes the row.
--
-- The run must rank at least ten documents of the corpus for each query of the edition, because the mean of a run with
-- a single document reveals its grade. The check, the copy and the comparison with earlier requests read the rankings
-- once. The ranks of the copy are 1, 2, 3, … in the order of the run's ranks. Simultaneous requests of a team run one
-- after the other.
--
-- Raises IR101 the team has no such run, IR102 no such edition, IR202 the edition is open, IR405 it has no judgments,
-- IR410 requests not allowed, IR411 no request left, IR412 the run is too short, IR415 the documents are distributed:
-- Citus reads them as the owner of this function, who cannot log in to the workers.
--
-- Safe because: the row policy of ask_calls accepts only the role that inserts and its team; names are compared, never
-- executed; the run must belong to the team; it writes only requests of that team, counted against its allowance; from
-- the judgments it reads only their queries. No role may call it or put it on a table.
CREATE OR REPLACE FUNCTION take_request() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = error AS $$
#variable_conflict use_column
DECLARE
    request ask_calls := NEW;
    wanted_run CONSTANT text := NEW.run;
    wanted_edition CONSTANT text := NEW.edition;
    asking record;
    place record;
    copied record;
    digest_now bytea;
    earlier bigint;
    request_id bigint;
    used integer;
BEGIN
    DELETE FROM ask_calls c WHERE c.id = request.id;
    PERFORM refuse_distributed('requesting scores');
    SELECT n.id, n.run INTO asking FROM st1_runs n WHERE n.run = wanted_run COLLATE "C" AND n.team = request.team;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR101',
            MESSAGE = format('team %s has no run %L', request.team, wanted_run), HINT = concat(
            'Did you mean ' || quote_literal(nearest_name(wanted_run, ARRAY(
                SELECT n.run FROM st1_runs n
                 WHERE n.team = request.team))) || '? ', '''stc show runs'' lists all runs.');
    END IF;
    SELECT e.id, e.version, e.hidden, coalesce(a.asks, 0) AS asks, a.measures INTO place
      FROM qrels_editions e LEFT JOIN ask_allowances a ON a.edition = e.id
     WHERE e.edition = wanted_edition COLLATE "C";
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR102', MESSAGE = format('there is no edition %L', wanted_edition),
            HINT = 'SELECT * FROM hidden_editions() lists the editions that accept requests.';
    ELSIF NOT place.hidden THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('edition %L is open', wanted_edition),
            HINT = 'Score the run on it, query by query: stc score.';
    ELSIF place.asks = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410',
            MESSAGE = format('score requests are not allowed on edition %L', wanted_edition),
            HINT = 'The organisers can allow them: stc publish allow EDITION --requests N.';
    END IF;
    PERFORM FROM ask_measures(place.measures);  -- allowances stored by earlier versions may name other measures
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
            MESSAGE = format('edition %L has no judgments yet', wanted_edition),
            HINT = 'Wait until the organisers have imported its judgments.';
    ELSIF copied.short > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR412',
            MESSAGE = format('run %s has fewer than ten documents of the corpus for %s of the %s',
                             asking.run, copied.short, counted(copied.queries, 'query')),
            HINT = 'Rank at least ten for every query. This request was not counted.';
    END IF;
    digest_now := sha256(convert_to(concat(copied.ids, copied.lists), 'UTF8'));
    SELECT r.id INTO earlier FROM ask_requests r
     WHERE r.edition = place.id AND r.team = request.team AND r.run = asking.run
       AND (r.digest, r.edition_version, r.measures) = (digest_now, place.version, place.measures)
     ORDER BY r.id DESC LIMIT 1;
    IF earlier IS NULL THEN
        INSERT INTO ask_counts AS c (edition, team, asked) VALUES (place.id, request.team, 1)
        ON CONFLICT (edition, team) DO UPDATE SET asked = c.asked + 1 WHERE c.asked < place.asks
        RETURNING c.asked INTO used;
        IF used IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'IR411',
                MESSAGE = format('team %s has used all its %s on edition %L', request.team,
                                 counted(place.asks, 'request'), wanted_edition),
                HINT = 'Earlier results stay available: asked_scores(run, edition).';
        END IF;
        INSERT INTO ask_requests (edition, team, member, run, digest, edition_version, measures, xact, asked)
        VALUES (place.id, request.team, request.member, asking.run, digest_now, place.version, place.measures,
                pg_current_xact_id()::text::bigint, clock_timestamp())
        RETURNING id INTO request_id;
        INSERT INTO ask_rankings (request, query, docs)
        SELECT request_id, l.query, l.docs::bigint[] FROM unnest(copied.ids, copied.lists) AS l (query, docs);
    ELSE  -- the run has its earlier content again: let asked_scores return these means instead of later ones
        UPDATE ask_requests r SET asked = clock_timestamp()
         WHERE r.id = earlier AND EXISTS (
               SELECT FROM ask_requests o
                WHERE o.edition = r.edition AND o.team = r.team AND o.run = r.run
                  AND (o.asked, o.id) > (r.asked, r.id));
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION take_request() IS 'Trigger: takes a score request of a team and copies the rankings of its run';
CREATE OR REPLACE TRIGGER ask_calls_take AFTER INSERT ON ask_calls
    FOR EACH ROW WHEN (new.run IS NOT NULL) EXECUTE FUNCTION take_request();
