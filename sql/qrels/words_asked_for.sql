-- words_asked_for: of some words those that a query asks for, by the English stemmer and stop words; words with a minus sign are not asked for.
CREATE OR REPLACE FUNCTION words_asked_for(query text, words text[]) RETURNS text[]
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    SELECT coalesce(array_agg(DISTINCT w.word), '{}')
      FROM unnest(words_asked_for.words) AS w (word)
     WHERE tsvector_to_array(to_tsvector('english', w.word))
           && tsvector_to_array(to_tsvector('english', regexp_replace(coalesce(words_asked_for.query, ''), '(^|\s)-\S+', ' ', 'g')))
$$;
COMMENT ON FUNCTION words_asked_for(text, text[]) IS 'Of some words those that a query asks for, by stem';
