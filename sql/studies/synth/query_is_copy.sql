-- query_is_copy: whether a query is a near-copy of what it was made from: its words are those of the title, or a run of
-- them stands word for word in the title or the passage that has 8 words or more and four fifths of the query's. Words
-- are those of plain_words.
CREATE OR REPLACE FUNCTION query_is_copy(query text, title text, passage text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
DECLARE
    words CONSTANT text[] := plain_words(query_is_copy.query);
    run CONSTANT integer := greatest(8, ceil(0.8 * cardinality(words))::integer);
    of_title CONSTANT text[] := plain_words(query_is_copy.title);
    -- A newline, which no word holds, keeps a run from going on from the title into the passage.
    texts CONSTANT text := concat(
        ' ', array_to_string(of_title, ' '), E' \n ', array_to_string(plain_words(query_is_copy.passage), ' '), ' ');
BEGIN
    IF cardinality(words) > 0 AND words = of_title THEN
        RETURN true;
    END IF;
    RETURN EXISTS (
        SELECT FROM generate_series(1, cardinality(words) - run + 1) AS g (first)
         WHERE strpos(texts, concat(' ', array_to_string(words[g.first:g.first + run - 1], ' '), ' ')) > 0);
END
$$;
COMMENT ON FUNCTION query_is_copy(text, text, text) IS
    'Whether a query is a title, or has 8 or more words and four fifths of its own in one run from title or passage';
