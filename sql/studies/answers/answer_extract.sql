-- answer_extract: store the best windows of the documents of a split as its answers, under a name of their own (the
-- source). Sentences that are not indexed yet are indexed first. With replace the answers of this name go, with what
-- models and runs say of them. Returns the documents of the split, those that gave an answer, and the answers. A page
-- that is there twice under one address, saying the same, gives it once. One extraction of a split at a time: a second
-- one waits.
-- Raises IR113 no such data set, IR202 a name that is taken, empty or 'given', a width or a number of windows below 1.
CREATE OR REPLACE FUNCTION answer_extract(
    set text, split text, source text, width integer DEFAULT 2, per_document integer DEFAULT 1,
        at_least double precision DEFAULT 0,
    replace boolean DEFAULT false, OUT documents bigint, OUT answered bigint, OUT answers bigint)
LANGUAGE plpgsql VOLATILE SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    set_id integer := answer_set_key(answer_extract.set, answer_extract.split);
BEGIN
    IF btrim(coalesce(answer_extract.source, '')) IN ('', 'given') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is no name for extracted answers', coalesce(answer_extract.source, '')),
            HINT = 'Give them one of their own, as windows; ''given'' are those of the files.';
    END IF;
    PERFORM check_name('source', answer_extract.source);
    PERFORM FROM answer_sets s WHERE s.id = set_id FOR NO KEY UPDATE;
    IF answer_extract.replace THEN
        DELETE FROM answers a USING answer_queries q
         WHERE q.set = set_id AND a.query = q.id AND a.source = answer_extract.source COLLATE "C";
    ELSIF EXISTS (SELECT FROM answers a JOIN answer_queries q ON q.id = a.query
                   WHERE q.set = set_id AND a.source = answer_extract.source COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L, %s, has extracted answers %L already', answer_extract.set, answer_extract.split,
                             answer_extract.source),
            HINT = 'Take another name, or --replace to put these in their place.';
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
    'Store the best windows of the documents of a split as its answers, under a name of their own';
