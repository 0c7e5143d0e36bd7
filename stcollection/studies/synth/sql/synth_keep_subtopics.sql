-- synth_keep_subtopics: store the queries that a model generated from articles, one row per query. Returns the number
-- of rows stored.
--
-- replies: [{topic, answer, texts, dropped, params}], at most one per topic. dropped is error, malformed, empty or
-- NULL; if it is set, texts is empty and one row without text is stored. Rows with a text are never replaced, and a
-- failure replaces only an earlier failure.
CREATE OR REPLACE FUNCTION synth_keep_subtopics(origin text, model text, prompt integer, replies jsonb) RETURNS bigint
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    kept bigint;
BEGIN
    -- the next statement sees what another process stored for the same topics
    PERFORM pg_advisory_xact_lock(hashtextextended('synth_keep_subtopics', 0));
    DELETE FROM synth_subtopics s
     USING jsonb_to_recordset(synth_keep_subtopics.replies) AS r (topic integer, dropped text)
     WHERE s.topic = r.topic AND s.origin = synth_keep_subtopics.origin
       AND (s.dropped = 'error' OR s.dropped IN ('malformed', 'empty') AND r.dropped IS DISTINCT FROM 'error');
    INSERT INTO synth_subtopics (topic, origin, model, prompt, number, answer, text, dropped, params)
    SELECT r.topic, synth_keep_subtopics.origin, synth_keep_subtopics.model, synth_keep_subtopics.prompt,
           coalesce(t.place, 1), r.answer, t.text, r.dropped, coalesce(r.params, '{}')
      FROM jsonb_to_recordset(synth_keep_subtopics.replies)
               AS r (topic integer, answer text, texts jsonb, dropped text, params jsonb)
      JOIN st1_topics k ON k.id = r.topic  -- the topic may have been removed in the meantime
      LEFT JOIN jsonb_array_elements_text(r.texts) WITH ORDINALITY AS t (text, place) ON true
     WHERE NOT EXISTS (SELECT FROM synth_subtopics s
                        WHERE s.topic = r.topic AND s.origin = synth_keep_subtopics.origin)
     ORDER BY k.topic COLLATE "C", t.place;
    GET DIAGNOSTICS kept = ROW_COUNT;
    RETURN kept;
END
$$;
COMMENT ON FUNCTION synth_keep_subtopics(text, text, integer, jsonb) IS
    'Stores the queries that a model generated from the articles of topics; returns the number of rows stored';
