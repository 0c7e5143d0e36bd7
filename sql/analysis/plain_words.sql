-- plain_words: words of a text in order: sequences of letters and digits in lower case, after Unicode normalisation
-- (NFKC).
--
-- No stop words are removed and nothing is stemmed. All other characters, including apostrophes and hyphens, separate
-- words. Returns an empty array for NULL.
CREATE OR REPLACE FUNCTION plain_words(content text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT coalesce(array_agg(m.found[1] ORDER BY m.place), '{}')
      FROM regexp_matches(lower(normalize(plain_words.content, NFKC) COLLATE "pg_c_utf8"), '[[:alnum:]]+', 'g')
           WITH ORDINALITY AS m (found, place)
$$;
COMMENT ON FUNCTION plain_words(text) IS
    'The words of a text in order: sequences of letters and digits in lower case, without stopping or stemming';
