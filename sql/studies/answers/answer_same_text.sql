-- answer_same_text: an answer's text as it is compared for being the same: NFKC, small letters, one space for any white
-- space, and no punctuation at its end. Punctuation within it stays: 5.0 is not 50, -5 is not 5.
CREATE OR REPLACE FUNCTION answer_same_text(answer text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT regexp_replace(
        regexp_replace(lower(normalize(answer, NFKC) COLLATE "pg_c_utf8"), '\s+', ' ', 'g'),
        '^ +|[ .!?,;:。、…]+$', '', 'g')
$$;
COMMENT ON FUNCTION answer_same_text(text) IS 'An answer''s text as it is compared for being the same as another''s';
