-- query_histograms: distributions that synthetic queries are matched by, for the queries that an edition judges, per
-- origin of the queries (human, t5, …). Words as in plain_words; text without words is left out.
--
--   length   number of queries by number of words
--   found    number of relevant pairs (rel >= level) by number of query words that occur in the document
--            (query_word_counts); documents without the field are left out
--
-- field: text of the document to use, as in a study (synth_passage). query_set: only the queries of a set (query_set).
-- Raises IR102 no such edition, IR103 no such query or set, IR106 no such field.
CREATE OR REPLACE FUNCTION query_histograms(edition text, field text DEFAULT 'abstract', level integer DEFAULT 1,
                                            query_set text DEFAULT 'all')
RETURNS TABLE (origin text, what text, words integer, count bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(query_histograms.edition);
    members CONSTANT integer[] := edition_queries(query_histograms.edition, query_histograms.query_set);
BEGIN
    IF query_histograms.field IS NULL OR query_histograms.field NOT IN ('abstract', 'content') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR106', MESSAGE = format('there is no field %L', query_histograms.field),
            HINT = 'Use abstract, or content (title and abstract).';
    END IF;
    RETURN QUERY
    WITH asked AS MATERIALIZED (
        SELECT q.id, q.origin, q.text, cardinality(plain_words(q.text)) AS words
          FROM st1_queries q WHERE q.id = ANY (members)),
    counted AS (
        SELECT a.origin, 'length' AS what, a.words, count(*) AS count FROM asked a WHERE a.words > 0 GROUP BY 1, 3
         UNION ALL
        SELECT p.origin, 'found', w.found, count(*)
          FROM (SELECT a.origin, a.text, synth_passage(query_histograms.field, t.title, t.abstract) AS passage
                  FROM qrels j JOIN asked a ON a.id = j.query AND a.words > 0 JOIN dblp_text t ON t.id = j.doc
                 WHERE j.edition = edition_id AND j.rel >= query_histograms.level) p
         CROSS JOIN LATERAL query_word_counts(p.text, p.passage) w
         WHERE p.passage IS NOT NULL
         GROUP BY 1, 3)
    SELECT c.origin, c.what, c.words, c.count
      FROM counted c
     ORDER BY c.origin <> 'human', c.origin COLLATE "C", c.what = 'found', c.words;
END
$$;
COMMENT ON FUNCTION query_histograms(text, text, integer, text) IS
    'Judged queries by number of words, and relevant pairs by number of query words found, per origin of the queries';
