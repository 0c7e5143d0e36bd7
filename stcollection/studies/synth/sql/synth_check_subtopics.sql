-- synth_check_subtopics: does each published subtopic reach enough relevant documents in an edition? By name.
--
--   judged     documents of rel >= 0; relevant: of rel >= level
--   state      enough, too few: fewer than fewest relevant documents, or not judged
-- Raises IR102 no such edition, IR202 fewest below 1.
CREATE OR REPLACE FUNCTION synth_check_subtopics(edition text, fewest integer DEFAULT 5, level integer DEFAULT 1)
RETURNS TABLE (query text, topic text, text text, judged bigint, relevant bigint, state text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(synth_check_subtopics.edition);
BEGIN
    IF synth_check_subtopics.fewest IS NULL OR synth_check_subtopics.fewest < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the minimum of relevant documents is %s',
                             coalesce(synth_check_subtopics.fewest::text, 'NULL')),
            HINT = 'Use 1 or more.';
    END IF;
    RETURN QUERY
    SELECT q.query, t.topic, q.text, j.judged, j.relevant,
           CASE WHEN j.judged = 0 THEN 'not judged' WHEN j.relevant < synth_check_subtopics.fewest THEN 'too few'
                ELSE 'enough' END
      FROM synth_subtopics s
      JOIN st1_queries q ON q.id = s.query
      JOIN st1_topics t ON t.id = s.topic
     CROSS JOIN LATERAL (
           SELECT count(*) FILTER (WHERE r.rel >= 0) AS judged,
                  count(*) FILTER (WHERE r.rel >= synth_check_subtopics.level) AS relevant
             FROM qrels r WHERE r.edition = edition_id AND r.query = q.id) j
     ORDER BY q.query COLLATE "C";
END
$$;
COMMENT ON FUNCTION synth_check_subtopics(text, integer, integer) IS
    'Whether each query published from a subtopic reaches enough relevant documents in an edition';
