-- synth_review_faults: faults in the decisions of a reviewer, by line. Empty if all can be stored.
--
-- given: [{line, token, id, verdict, reworded}]. id: synth_subtopics.id, or NULL if the token is invalid; token: as on
-- the sheet. verdict NULL: not reviewed.
CREATE OR REPLACE FUNCTION synth_review_faults(given jsonb) RETURNS TABLE (line integer, fault text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH told AS MATERIALIZED (
        SELECT g.line, g.token, g.verdict, s.id, s.dropped, s.query, s.verdict AS before,
               coalesce(g.reworded, s.text) AS text, coalesce(s.reworded, s.text) AS text_before,
               row_number() OVER (PARTITION BY s.id ORDER BY g.line) AS occurrence,
               plain_words(coalesce(g.reworded, s.text)) AS words
          FROM jsonb_to_recordset(synth_review_faults.given)
                   AS g (line integer, id bigint, token text, verdict text, reworded text)
          LEFT JOIN synth_subtopics s ON s.id = g.id),
    faults AS (
        SELECT t.line,
               CASE WHEN t.id IS NULL OR t.dropped IS NOT NULL THEN format('there is no subtopic %L', t.token)
                    WHEN t.occurrence > 1 THEN format('the subtopic %s occurs twice', t.token)
                    WHEN t.query IS NOT NULL AND t.verdict IS NOT NULL
                         AND (t.verdict, t.text) IS DISTINCT FROM (t.before, t.text_before)
                    THEN format('published as %s and cannot be changed',
                                (SELECT q.query FROM st1_queries q WHERE q.id = t.query))
                    WHEN t.verdict IS DISTINCT FROM 'accepted' OR t.query IS NOT NULL THEN NULL
                    WHEN t.words = '{}' THEN 'the query has no word'
                    ELSE 'same words as ' || coalesce(query_with_words(t.words), (
                        SELECT 'line ' || min(o.line) FROM told o
                         WHERE o.verdict = 'accepted' AND o.words = t.words AND o.line < t.line), (
                        SELECT 'the accepted subtopic s' || min(s.id) FROM synth_subtopics s
                         WHERE s.verdict = 'accepted' AND s.query IS NULL
                           AND plain_words(coalesce(s.reworded, s.text)) = t.words
                           AND s.id NOT IN (SELECT o.id FROM told o WHERE o.verdict IS NOT NULL AND o.id IS NOT NULL)))
               END AS fault
          FROM told t)
    SELECT f.line, f.fault FROM faults f WHERE f.fault IS NOT NULL ORDER BY f.line
$$;
COMMENT ON FUNCTION synth_review_faults(jsonb) IS
    'Faults in the decisions of a reviewer of subtopics, by line';
