-- passage_within: true if a passage is part of a text, ignoring case, white space and punctuation.
--
-- True for a passage without words, because nothing in it could come from elsewhere. False if the text is NULL.
CREATE OR REPLACE FUNCTION passage_within(passage text, content text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT position(' ' || btrim(regexp_replace(lower(passage_within.passage), '\W+', ' ', 'g')) || ' ' IN
                    ' ' || btrim(regexp_replace(lower(coalesce(passage_within.content, '')), '\W+', ' ', 'g'))
                        || ' ') > 0
           OR passage_within.passage !~ '\w'
$$;
COMMENT ON FUNCTION passage_within(text, text) IS
    'True if a passage is part of a text, ignoring case, white space and punctuation';
