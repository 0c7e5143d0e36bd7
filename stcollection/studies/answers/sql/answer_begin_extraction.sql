-- answer_begin_extraction: check the name (source) of an extraction and lock its split, so that extractions of a split
-- are stored one at a time. Returns the id of the split.
--
-- replace: remove the existing answers with this name, with their relations and the runs' references.
-- again: accept existing answers with this name and keep them.
-- Raises IR113 no such data set, IR202 a name that is empty or 'given', or used if neither replace nor again is given.
CREATE OR REPLACE FUNCTION answer_begin_extraction(
    set text, split text, source text, replace boolean DEFAULT false, again boolean DEFAULT false) RETURNS integer
LANGUAGE plpgsql VOLATILE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    set_id integer := answer_set_key(answer_begin_extraction.set, answer_begin_extraction.split);
BEGIN
    IF btrim(coalesce(answer_begin_extraction.source, '')) IN ('', 'given') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a valid name for extracted answers',
                             coalesce(answer_begin_extraction.source, '')),
            HINT = 'Choose another name, such as windows; ''given'' is reserved for the answers in the files.';
    END IF;
    PERFORM check_name('source', answer_begin_extraction.source);
    PERFORM FROM answer_sets s WHERE s.id = set_id FOR NO KEY UPDATE;
    IF answer_begin_extraction.replace THEN
        DELETE FROM answers a USING answer_queries q
         WHERE q.set = set_id AND a.query = q.id AND a.source = answer_begin_extraction.source COLLATE "C";
    ELSIF NOT answer_begin_extraction.again
        AND EXISTS (SELECT FROM answers a JOIN answer_queries q ON q.id = a.query
                     WHERE q.set = set_id AND a.source = answer_begin_extraction.source COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L, %s, already has extracted answers %L', answer_begin_extraction.set,
                             answer_begin_extraction.split, answer_begin_extraction.source),
            HINT = 'Choose another name, or use --replace to replace them.';
    END IF;
    RETURN set_id;
END
$$;
COMMENT ON FUNCTION answer_begin_extraction(text, text, text, boolean, boolean) IS
    'Checks the name of an extraction of answers and locks its split; removes existing answers with this name, or '
    'refuses them';
