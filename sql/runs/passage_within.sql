-- passage_within: whether a passage is a piece of a text, case, white space and punctuation aside.
--
-- True for a passage without a word: there is nothing in it that could be from elsewhere. False for a text that is
-- NULL.
CREATE OR REPLACE FUNCTION passage_within(passage text, content text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    SELECT position(' ' || btrim(regexp_replace(lower(passage_within.passage), '\W+', ' ', 'g')) || ' ' IN
                    ' ' || btrim(regexp_replace(lower(coalesce(passage_within.content, '')), '\W+', ' ', 'g'))
                        || ' ') > 0
           OR passage_within.passage !~ '\w'
$$;
COMMENT ON FUNCTION passage_within(text, text) IS
'Whether a passage is a piece of a text, case, white space and punctuation aside';
