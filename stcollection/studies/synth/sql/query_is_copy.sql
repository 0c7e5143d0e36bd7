-- query_is_copy: true if a query nearly copies its source.
--
-- That is the case if its words are exactly those of the title. It is also the case if a sequence of at least 8 words,
-- and of at least four fifths of the query, occurs verbatim in the title or passage. Words as in plain_words.
CREATE OR REPLACE FUNCTION query_is_copy(query text, title text, passage text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    words CONSTANT text[] := plain_words(query_is_copy.query);
    run CONSTANT integer := greatest(8, ceil(0.8 * cardinality(words))::integer);
    of_title CONSTANT text[] := plain_words(query_is_copy.title);
    -- A newline, which no word contains, prevents a match across the end of the title.
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
    'True if a query is a title, or shares a sequence of at least 8 words and four fifths of its length with title '
    'or passage';
