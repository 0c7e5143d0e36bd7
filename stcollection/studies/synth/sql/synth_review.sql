-- synth_review: store the decisions of a reviewer on subtopics (synth_review_faults checks them). A line without a
-- decision changes nothing. An equal decision keeps its first reviewer.
--
-- given: as for synth_review_faults. decided: first decisions; changed: changed ones; blank: lines without one.
-- Raises IR202 an invalid name of the reviewer.
CREATE OR REPLACE FUNCTION synth_review(
    given jsonb, reviewer text, OUT decided bigint, OUT changed bigint, OUT unchanged bigint, OUT blank bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    PERFORM check_name('reviewer', coalesce(synth_review.reviewer, ''));
    WITH told AS (
        SELECT s.id, g.verdict, nullif(g.reworded, s.text) AS reworded, nullif(g.note, '') AS note, s.verdict AS before,
               (s.verdict, s.reworded, s.note)
                   IS NOT DISTINCT FROM (g.verdict, nullif(g.reworded, s.text), nullif(g.note, '')) AS same
          FROM jsonb_to_recordset(synth_review.given)
                   AS g (line integer, id bigint, verdict text, reworded text, note text)
          LEFT JOIN synth_subtopics s ON s.id = g.id),
    stored AS (
        UPDATE synth_subtopics s
           SET verdict = t.verdict, reworded = t.reworded, note = t.note, reviewer = synth_review.reviewer,
               reviewed = now()
          FROM told t WHERE s.id = t.id AND t.verdict IS NOT NULL AND NOT t.same
        RETURNING s.id)
    SELECT count(*) FILTER (WHERE t.before IS NULL AND s.id IS NOT NULL),
           count(*) FILTER (WHERE t.before IS NOT NULL AND s.id IS NOT NULL),
           count(*) FILTER (WHERE t.verdict IS NOT NULL AND t.same), count(*) FILTER (WHERE t.verdict IS NULL)
      INTO decided, changed, unchanged, blank
      FROM told t LEFT JOIN stored s ON s.id = t.id;
END
$$;
COMMENT ON FUNCTION synth_review(jsonb, text) IS
    'Stores the decisions of a reviewer on queries generated from articles; returns the numbers stored and unchanged';
