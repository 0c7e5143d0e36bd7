-- answer_same_text: normalised text of an answer for comparing answers: NFKC, lower case, single spaces, and no
-- punctuation at the end. Other punctuation is kept: 5.0 is not 50, -5 is not 5.
CREATE OR REPLACE FUNCTION answer_same_text(answer text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT regexp_replace(
        regexp_replace(lower(normalize(answer, NFKC) COLLATE "pg_c_utf8"), '\s+', ' ', 'g'),
        '^ +|[ .!?,;:。、…]+$', '', 'g')
$$;
COMMENT ON FUNCTION answer_same_text(text) IS 'Normalised text of an answer; two answers are the same if it is equal';
