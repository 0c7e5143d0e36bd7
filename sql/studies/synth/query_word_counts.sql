-- query_word_counts: of a query and a passage the two numbers that synthetic queries are matched to judged ones by
-- (Craswell et al., TREC 2023 Deep Learning Track):
--
--   length  words of the query
--   found   of these, how many occur in the passage, without stopping or stemming; a word that the query repeats counts
--           each time
--
-- Words are those of plain_words. NULL is an empty text.
CREATE OR REPLACE FUNCTION query_word_counts(query text, passage text, OUT length integer, OUT found integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    WITH there AS MATERIALIZED (SELECT plain_words(query_word_counts.passage) AS words)
    SELECT count(*)::integer, (count(*) FILTER (WHERE w.word = ANY (t.words)))::integer
      FROM there t, unnest(plain_words(query_word_counts.query)) AS w (word)
$$;
COMMENT ON FUNCTION query_word_counts(text, text) IS
    'Words of a query, and how many of them occur in a passage, without stopping or stemming';
