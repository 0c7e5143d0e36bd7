-- asked_scores: the mean scores that one's own team asked for (ask_scores), of a run on a hidden edition, rounded to two decimals; a row a
-- measure, with when it was asked. Of several asks about runs of that name the last one, as the run was then.
--
-- Only what an earlier transaction asked, so that it is counted whatever becomes of this one. The means are formed when they are told
-- first, if run and edition are as they were when it was asked, and kept: what changes later changes nothing, and tells nothing.
--
-- SECURITY DEFINER: it reads what is hidden, and tells means alone.
-- Raises IR405 nothing was asked, IR410 of no team, IR411 the run or the edition changed before it was told.
CREATE OR REPLACE FUNCTION asked_scores(run text, edition text)
RETURNS TABLE (measure text, mean double precision, asked timestamp with time zone)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    own_team CONSTANT text := my_team();
    request record;
BEGIN
    IF own_team IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410', MESSAGE = format('%s is of no team, and a team asks', caller_name()),
            HINT = 'Organisers score every run: stc evaluation score.';
    END IF;
    SELECT r.*, n.run AS run_now, n.version AS version_now, e.version AS edition_now INTO request
      FROM ask_requests r
      JOIN qrels_editions e ON e.id = r.edition
      LEFT JOIN st1_runs n ON n.id = r.run_id AND n.team = own_team
     WHERE r.team = own_team AND r.run = asked_scores.run COLLATE "C" AND e.edition = asked_scores.edition COLLATE "C"
       AND r.xact <> coalesce(pg_current_xact_id_if_assigned()::text::bigint, -1)
     ORDER BY r.id DESC LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('the team %s has not asked about %L on %L', own_team, asked_scores.run, asked_scores.edition),
            HINT = 'SELECT ask_scores(run, edition), and COMMIT: only then it is counted, and told.';
    END IF;
    IF request.means IS NULL THEN
        IF request.run_now IS NULL OR (request.version_now, request.edition_now) <> (request.run_version, request.edition_version) THEN
            RAISE EXCEPTION USING ERRCODE = 'IR411',
                MESSAGE = format('%s changed after it was asked about, and before it was told',
                                 CASE WHEN request.version_now = request.run_version THEN 'the edition' ELSE 'the run' END),
                HINT = 'Ask anew, and leave the run as it is until you are told.';
        END IF;
        request.means := ARRAY(
            SELECT round(s.value::numeric, 2)::double precision
              FROM unnest(request.measures) WITH ORDINALITY AS m (measure, place)
              JOIN mean_scores(ARRAY[request.run_now], asked_scores.edition, request.measures) s USING (measure)
             ORDER BY m.place);
        IF NOT current_setting('transaction_read_only')::boolean THEN
            UPDATE ask_requests r SET means = request.means WHERE r.id = request.id;
        END IF;
    END IF;
    RETURN QUERY SELECT t.measure, t.mean, request.asked FROM unnest(request.measures, request.means) AS t (measure, mean);
END
$$;
COMMENT ON FUNCTION asked_scores(text, text) IS 'The rounded means that one''s team asked for, of a run on a hidden edition';
