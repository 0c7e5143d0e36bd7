-- answer_extract: store the best windows of the documents of a split as answers, under a separate name (source).
-- Returns the number of documents of the split, of documents with an answer, and of answers.
--
-- Sentences that are not indexed yet are indexed first. With replace the existing answers with this name are removed,
-- with their relations and the runs' references. If a document occurs twice with the same address and answer, the
-- answer is stored once. Extractions of a split run one at a time.
-- Raises IR113 no such data set, IR202 a name that is used, empty or 'given', a width or a number of windows below 1.
CREATE OR REPLACE FUNCTION answer_extract(
    set text, split text, source text, width integer DEFAULT 2, per_document integer DEFAULT 1,
        at_least double precision DEFAULT 0,
    replace boolean DEFAULT false, OUT documents bigint, OUT answered bigint, OUT answers bigint)
LANGUAGE plpgsql VOLATILE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    set_id integer := answer_set_key(answer_extract.set, answer_extract.split);
BEGIN
    IF btrim(coalesce(answer_extract.source, '')) IN ('', 'given') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a valid name for extracted answers', coalesce(answer_extract.source, '')),
            HINT = 'Choose another name, such as windows; ''given'' is reserved for the answers in the files.';
    END IF;
    PERFORM check_name('source', answer_extract.source);
    PERFORM FROM answer_sets s WHERE s.id = set_id FOR NO KEY UPDATE;
    IF answer_extract.replace THEN
        DELETE FROM answers a USING answer_queries q
         WHERE q.set = set_id AND a.query = q.id AND a.source = answer_extract.source COLLATE "C";
    ELSIF EXISTS (SELECT FROM answers a JOIN answer_queries q ON q.id = a.query
                   WHERE q.set = set_id AND a.source = answer_extract.source COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L, %s, already has extracted answers %L', answer_extract.set, answer_extract.split,
                             answer_extract.source),
            HINT = 'Choose another name, or use --replace to replace them.';
    END IF;
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
