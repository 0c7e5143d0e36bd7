-- synth_keep_candidates: keeps generated queries of an origin, with the words of each, and those of them that the
-- passage has; marks near- copies (query_is_copy) and texts without a word. Returns how many were kept. Duplicates are
-- found by synth_mark, over the whole study.
--
-- made: [{doc, number, answer, text, dropped, params}]; dropped is error, malformed, empty or NULL. One that stands
-- there gives way only where it was dropped for error, malformed or empty, and not to a failure.
-- Raises IR112 when the study is gone, IR202 when the origin is made by another model by now.
CREATE OR REPLACE FUNCTION synth_keep_candidates(study integer, origin text, model text, prompt integer, made jsonb)
    RETURNS bigint
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    of_study synth_studies;
    kept bigint;
BEGIN
    SELECT * INTO of_study FROM synth_studies s WHERE s.id = synth_keep_candidates.study FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR112', MESSAGE = 'the study was dropped while queries were generated',
            HINT = 'Start again with ''stc synth sample''.';
    ELSIF of_study.params #>> ARRAY['generate', synth_keep_candidates.origin,
                                    'model'] IS DISTINCT FROM synth_keep_candidates.model THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('queries of the origin %s are made by %s since',
                synth_keep_candidates.origin, of_study.params #>> ARRAY['generate', synth_keep_candidates.origin,
                                                                        'model']),
            HINT = 'Go on with that model, or give these another name by --as.';
    END IF;
    INSERT INTO synth_candidates AS c (study, doc, origin, model, prompt, number, answer, text, dropped, length,
                                       found, params)
    SELECT of_study.id, g.doc, synth_keep_candidates.origin, synth_keep_candidates.model, synth_keep_candidates.prompt,
           g.number, g.answer,
           CASE WHEN w.length > 0 THEN g.text END,
           CASE WHEN g.dropped IS NOT NULL THEN g.dropped WHEN w.length = 0 THEN 'empty'
                WHEN query_is_copy(g.text, t.title, synth_passage(of_study.field, t.title, t.abstract)) THEN 'copy' END,
           CASE WHEN w.length > 0 THEN w.length END, CASE WHEN w.length > 0 THEN w.found END, coalesce(g.params, '{}')
      FROM jsonb_to_recordset(synth_keep_candidates.made)
               AS g (doc bigint, number integer, answer text, text text, dropped text, params jsonb)
      LEFT JOIN dblp_text t ON t.id = g.doc,
           LATERAL query_word_counts(g.text, synth_passage(of_study.field, t.title, t.abstract)) w
    ON CONFLICT (study, doc, origin, number) DO UPDATE
       SET model = excluded.model, prompt = excluded.prompt, answer = excluded.answer, text = excluded.text,
           dropped = excluded.dropped,
           length = excluded.length, found = excluded.found, params = excluded.params, made = now()
     WHERE c.dropped = 'error' OR c.dropped IN ('malformed', 'empty') AND excluded.dropped IS DISTINCT FROM 'error';
    GET DIAGNOSTICS kept = ROW_COUNT;
    RETURN kept;
END
$$;
COMMENT ON FUNCTION synth_keep_candidates(integer, text, text, integer, jsonb) IS
    'Keeps generated queries of an origin, with their counts of words; marks near-copies and those without a word';
