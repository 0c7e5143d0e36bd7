-- answer_store_spans: store the answers that a reader found in the documents of one query, under the name (source) of
-- an extraction. Returns their number.
--
-- Queries are stored in order of their place, so the last query with an answer shows where an interrupted extraction
-- continues. documents, texts and scores (the confidence, in [0, 1]) are parallel. An answer that another document of
-- the query gives with the same address is stored once.
-- Raises IR113 no such data set, IR202 a name that is empty or 'given', or later answers with this name exist.
CREATE OR REPLACE FUNCTION answer_store_spans(
    set text, split text, source text, query integer, documents bigint[], texts text[], scores double precision[])
RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    set_id integer := answer_begin_extraction(answer_store_spans.set, answer_store_spans.split,
                                              answer_store_spans.source, again => true);
    stored bigint;
BEGIN
    IF EXISTS (SELECT FROM answer_queries q JOIN answer_queries o ON o.set = q.set AND o.place >= q.place
                 JOIN answers a ON a.query = o.id AND a.source = answer_store_spans.source COLLATE "C"
                WHERE q.id = answer_store_spans.query AND q.set = set_id) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('another process extracts answers %L of %L, %s', answer_store_spans.source,
                             answer_store_spans.set, answer_store_spans.split),
            HINT = 'Wait until it ends, or choose another name.';
    END IF;
    INSERT INTO answers (query, document, source, url, text, score)
    SELECT d.query, d.id, answer_store_spans.source, d.url, s.text, s.score
      FROM unnest(answer_store_spans.documents, answer_store_spans.texts, answer_store_spans.scores)
           AS s (document, text, score)
      JOIN answer_documents d ON d.id = s.document AND d.query = answer_store_spans.query
     ORDER BY d.place
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS stored = ROW_COUNT;
    RETURN stored;
END
$$;
COMMENT ON FUNCTION answer_store_spans(text, text, text, integer, bigint[], text[], double precision[]) IS
    'Stores the answers that a reader found in the documents of one query; returns their number';
