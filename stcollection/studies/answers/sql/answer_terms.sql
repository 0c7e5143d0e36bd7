-- answer_terms: terms by which sentences and queries of answer verification are compared, without positions.
--
-- For Chinese, Japanese and Korean the terms are pairs of adjacent characters, and isolated single characters. For
-- other scripts they are words and numbers (3.5 is one term), stemmed as English, with stop words kept, because an
-- answer may depend on "not". Text is normalised (NFKC) and lower-cased; HTML entities count as white space. Pairs need
-- no dictionary and retrieve as well as words (Nie, Gao, Zhang & Zhou, IRAL 2000). Only the first 20,000 characters of
-- a text, without a word that goes on after them, and the first 100 of a word are used.
CREATE OR REPLACE FUNCTION answer_terms(content text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    -- Which characters are letters must not depend on the collation of the database.
    plain text COLLATE "pg_c_utf8" := lower(normalize(CASE
        WHEN length(answer_terms.content) <= 20000 THEN answer_terms.content
        WHEN substr(answer_terms.content, 19901, 101) ~ '^[0-9A-Za-z\u00aa-\u1fff]+$'
            THEN left(answer_terms.content, 20000)
        ELSE left(answer_terms.content, 19900)
            || left(regexp_replace(substr(answer_terms.content, 19901, 101), '[0-9A-Za-z\u00aa-\u1fff]+$', ''), 100)
        END, NFKC) COLLATE "pg_c_utf8");
    -- Ideographs, kana and Hangul; for other alphabets letters, marks and digits below U+2000, and some above.
    joined CONSTANT text COLLATE "pg_c_utf8" :=
        '[\u3005\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]';
    words CONSTANT text COLLATE "pg_c_utf8" :=
        '[0-9]+(?:[.][0-9]+)+|[0-9a-z\u00aa\u00b5\u00ba\u00c0-\u1fff\u2c00-\u2dff\ua640-\uabff]+';
    parts text[] COLLATE "pg_c_utf8";
BEGIN
    IF strpos(plain, '&') > 0 THEN
        plain := regexp_replace(plain, '&(?:[a-z]{2,8}|#[0-9]{1,7}|#x[0-9a-f]{1,6});', ' ', 'g');
    END IF;
    IF plain ~ '[^\u0001-\u2fff]' THEN
        -- Pairs that start at odd positions of a sequence, then those at even ones, without its first character.
        parts := ARRAY(
            SELECT m[1] FROM regexp_matches(plain,
                                            '(?<!' || joined || ')' || joined || '(?!' || joined || ')|' || joined
                                                || '{2}', 'g') m
            UNION ALL
            SELECT m[1] FROM regexp_matches(regexp_replace(plain, '(?<!' || joined || ')' || joined, ' ', 'g'),
                                            joined || '{2}', 'g') m);
    END IF;
    IF plain ~ '[0-9a-z\u00aa-\u1fff\u2c00-\u2dff\ua640-\uabff]' THEN
        parts := parts || ARRAY(
            SELECT coalesce((ts_lexize('pg_catalog.english_stem', w.word))[1], w.word)
              FROM (SELECT left(m[1], 100) AS word FROM regexp_matches(plain, words, 'g') m) w);
    END IF;
    RETURN array_to_tsvector(coalesce(parts, '{}'));
END
$$;
COMMENT ON FUNCTION answer_terms(text) IS
    'Terms for comparing answers: character pairs of Chinese, Japanese and Korean, stemmed words of other scripts';
