-- refuse_other_judgments: raise IR405 if an edition has no judgments of the kind that a measure needs. by_subtopic
-- is true for judgments of subtopics, false for those of documents.
--
-- queries: the queries of the edition with judgments of the kind (evaluation_keys). measure: named in the message.
CREATE OR REPLACE FUNCTION refuse_other_judgments(measure text, edition text, by_subtopic boolean, queries integer[])
    RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF refuse_other_judgments.queries <> '{}' THEN
        RETURN;
    ELSIF refuse_other_judgments.by_subtopic THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%s needs subtopic judgments, and edition %s has none', refuse_other_judgments.measure,
                             shown_name(refuse_other_judgments.edition)),
            HINT = format('Import them: stc load --as subtopics FILE --edition %s.',
                          shown_name(refuse_other_judgments.edition));
    ELSIF EXISTS (SELECT FROM qrels_subtopics j WHERE j.edition = edition_key(refuse_other_judgments.edition)) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%s needs judgments of documents, and edition %s has only subtopic judgments',
                             refuse_other_judgments.measure, shown_name(refuse_other_judgments.edition)),
            HINT = format('Use a measure of subtopics, such as alpha_nDCG@10, or import judgments: '
                          'stc load --as qrels FILE --edition %s.', shown_name(refuse_other_judgments.edition));
    END IF;
END
$$;
COMMENT ON FUNCTION refuse_other_judgments(text, text, boolean, integer[]) IS
    'Raises an error if an edition has no judgments of the kind that a measure needs';
