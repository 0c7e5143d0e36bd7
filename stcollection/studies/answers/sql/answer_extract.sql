-- answer_extract: store the best windows of the documents of a split as answers, under a separate name (source).
-- Returns the number of documents of the split, of documents with an answer, and of answers.
--
-- Sentences that are not indexed yet are indexed first. source and replace: as in answer_begin_extraction. If a
-- document occurs twice with the same address and answer, the answer is stored once.
-- Raises IR113, IR202 as answer_begin_extraction, IR202 a width or a number of windows below 1.
CREATE OR REPLACE FUNCTION answer_extract(
    set text, split text, source text, width integer DEFAULT 2, per_document integer DEFAULT 1,
        at_least double precision DEFAULT 0,
    replace boolean DEFAULT false, OUT documents bigint, OUT answered bigint, OUT answers bigint)
LANGUAGE plpgsql VOLATILE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    set_id integer := answer_begin_extraction(answer_extract.set, answer_extract.split, answer_extract.source,
                                              answer_extract.replace);
BEGIN
    PERFORM answer_index(answer_extract.set, answer_extract.split);
    WITH kept AS (
        INSERT INTO answers (query, document, source, url, text, score, first, last)
        SELECT w.query, w.document, answer_extract.source, d.url, w.text, w.score, w.first, w.last
          FROM answer_windows(set_id, answer_extract.width, answer_extract.per_document, answer_extract.at_least) w
          JOIN answer_documents d ON d.id = w.document
         ORDER BY w.query, d.place, w.rank
        ON CONFLICT DO NOTHING RETURNING document
    )
    SELECT count(DISTINCT k.document), count(*) INTO answered, answers FROM kept k;
    SELECT count(*) INTO documents FROM answer_documents d JOIN answer_queries q ON q.id = d.query WHERE q.set = set_id;
END
$$;
COMMENT ON FUNCTION answer_extract(text, text, text, integer, integer, double precision, boolean) IS
    'Stores the best windows of the documents of a split as answers under a separate name; returns numbers of '
    'documents and answers';
