-- words_asked_for: those of the given words that a query contains, by the stemmer and stop words of the collection
-- (text_config). Query words with a minus sign do not count.
CREATE OR REPLACE FUNCTION words_asked_for(query text, words text[]) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT coalesce(array_agg(DISTINCT w.word), '{}')
      FROM unnest(words_asked_for.words) AS w (word)
     WHERE tsvector_to_array(to_tsvector((SELECT text_config()), indexed_words(w.word, (SELECT text_words()))))
           && tsvector_to_array(to_tsvector((SELECT text_config()), indexed_words(
               regexp_replace(coalesce(words_asked_for.query, ''), '(^|\s)-\S+', ' ', 'g'), (SELECT text_words()))))
$$;
COMMENT ON FUNCTION words_asked_for(text, text[]) IS
    'Those of the given words that a query contains, compared by stem; query words with a minus sign do not count';
