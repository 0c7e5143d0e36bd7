-- plain_words: the words of a text in their order: runs of letters and digits, in lower case, after Unicode's NFKC. No
-- stop word is left out and nothing is stemmed; what stands between (apostrophes and hyphens too) separates. Empty for
-- NULL.
CREATE OR REPLACE FUNCTION plain_words(content text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    SELECT coalesce(array_agg(m.found[1] ORDER BY m.place), '{}')
      FROM regexp_matches(lower(normalize(plain_words.content, NFKC) COLLATE "pg_c_utf8"), '[[:alnum:]]+', 'g')
           WITH ORDINALITY AS m (found, place)
$$;
COMMENT ON FUNCTION plain_words(text) IS
'The words of a text in order: runs of letters and digits, lower case, not stopped, not stemmed';
