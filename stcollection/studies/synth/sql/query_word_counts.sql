-- query_word_counts: the two numbers by which synthetic queries are matched to judged ones (Craswell et al., TREC 2023
-- Deep Learning Track):
--
--   length  number of words of the query
--   found   number of these words that occur in the passage, without stopping or stemming; repeated words count each
--           time
--
-- Words as in plain_words. NULL counts as an empty text.
CREATE OR REPLACE FUNCTION query_word_counts(query text, passage text, OUT length integer, OUT found integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH there AS MATERIALIZED (SELECT plain_words(query_word_counts.passage) AS words)
    SELECT count(*)::integer, (count(*) FILTER (WHERE w.word = ANY (t.words)))::integer
      FROM there t, unnest(plain_words(query_word_counts.query)) AS w (word)
$$;
COMMENT ON FUNCTION query_word_counts(text, text) IS
    'Number of words of a query, and number of them that occur in a passage, without stopping or stemming';
