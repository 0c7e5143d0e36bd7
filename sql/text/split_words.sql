-- split_words: a text in which words joined by a slash, and letters and digits joined by a hyphen, are separate words.
--
--   client/server → client server      COVID-19 → COVID 19      covid–19 → covid 19      “TCP/IP” →  TCP IP
--
-- Each character keeps its place: signs become blanks. Not split: words with :// or @, with a leading slash, DOIs,
-- words without letters (1/2, 24/7, 2020-21), powers (1e-5), and hyphens before a number with letters (GPT-4o), of
-- which PostgreSQL indexes the parts already. Typographic dashes and slashes count as - and /, other signs that are not
-- ASCII as blanks, because PostgreSQL takes them for letters in a database with the locale C.
--
-- wholes: append the words with slashes as a whole. At the end, because phrases of their parts must still match:
--
--   the TCP/IP model → the TCP IP model TCP/IP
--
-- dblp_text.tsv and dblp_text.content of collections that split words are computed with it (text_expressions), and so
-- is the index of passages. Stored texts depend on what it returns: do not change that without building them again.
CREATE OR REPLACE FUNCTION split_words(content text, wholes boolean DEFAULT false)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    plain text COLLATE "pg_c_utf8" := split_words.content;
    words text[] := '{}';
    word text COLLATE "pg_c_utf8";
    compound text;
    compounds text[] := '{}';
    hyphen CONSTANT text := '((?:^|[^0-9])[eE]|(?![eE])[[:alnum:]])-([0-9]+(?:[.,][0-9]+)*)(?![[:alnum:]])';
BEGIN
    IF octet_length(plain) <> length(plain) THEN
        plain := translate(plain, U&'\2010\2011\2012\2013\2212\FE63\FF0D\2044\2215\FF0F', '-------///');
        plain := regexp_replace(plain, U&'(?![\0001-\007F])[[:punct:][:space:]\200B\2060\FEFF]', ' ', 'g');
    END IF;
    IF strpos(plain, '/') = 0 AND plain !~ '[[:alnum:]]-[0-9]' THEN
        RETURN plain;
    END IF;
    FOREACH word IN ARRAY string_to_array(translate(plain, E'\t\n\v\f\r', '     '), ' ') LOOP
        IF (strpos(word, '/') > 0 OR strpos(word, '-') > 0) AND word ~ '[[:alpha:]]'
            AND word !~ '://|@|^[^[:alnum:]]*/|(?:^|[^[:alnum:].])10\.[0-9]{4,9}/'
        THEN
            IF split_words.wholes AND strpos(word, '/') > 0 THEN
                SELECT string_agg(m.found[1], ' ') INTO compound FROM regexp_matches(word,
                    '(?:^|[^[:alnum:]./_-])((?=[0-9/]*[[:alpha:]])[[:alnum:]]+(?:/[[:alnum:]]+)+)', 'g') m (found);
                compounds := array_append(compounds, compound);  -- in place, which takes a variable
            END IF;
            -- Twice, because 1-2-3 shares the 2. Not with a pattern that looks behind, which takes quadratic time.
            word := regexp_replace(regexp_replace(regexp_replace(word, '(^|[^<])/(?!>)', '\1 ', 'g'),
                                                  hyphen, '\1 \2', 'g'), hyphen, '\1 \2', 'g');
        END IF;
        words := array_append(words, word);
    END LOOP;
    RETURN array_to_string(words || compounds, ' ');
END
$$;
COMMENT ON FUNCTION split_words(text, boolean) IS
'A text with the parts of client/server and COVID-19 as separate words, each character at its place';
