-- answer_sentence_matches: occurrences of the terms of each query in the sentences of its documents, with their
-- weights.
--
--   idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5))   N sentences in the documents of the query, n of them with the term
--            (BM25's: Robertson & Zaragoza, Foundations and Trends in IR 3(4), 2009)
--   weight = idf(t) / sum of idf over the query's terms that occur in some sentence, so that weights sum to 1:
--            a term that occurs in no document cannot distinguish their sentences
--
-- In addition to the query's complete terms (whole), there is a term for each Chinese character that starts one of its
-- pairs. It matches where a pair of the sentence starts with the character, and has a quarter of its idf. So 喝冰水 is
-- similar to 冰的别喝, although they share no pair. before: the last earlier sentence of the same document that contains
-- the term; NULL for the first. Titles are sentence 0. Only indexed documents (answer_index) have sentences.
CREATE OR REPLACE FUNCTION answer_sentence_matches(set_id integer)
RETURNS TABLE (query integer, document bigint, place integer, before integer, weight double precision, whole boolean)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100000 SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH said AS MATERIALIZED (
        SELECT d.query, s.document, s.place, s.terms
          FROM answer_queries q JOIN answer_documents d ON d.query = q.id JOIN answer_sentences s ON s.document = d.id
         WHERE q.set = answer_sentence_matches.set_id
    ), terms AS MATERIALIZED (
        SELECT q.id AS query, t.term
          FROM answer_queries q, unnest(tsvector_to_array(answer_terms(q.text))) t (term)
         WHERE q.set = answer_sentence_matches.set_id
    ), asked AS MATERIALIZED (
        SELECT t.query, t.term, true AS whole, lexeme_term(t.term) AS wanted FROM terms t
        UNION ALL
        SELECT DISTINCT t.query, left(t.term, 1), false, (lexeme_term(left(t.term, 1))::text || ':*')::tsquery
          FROM terms t WHERE t.term ~ '^[\u3400-\u9fff]{2}$'
    ), found AS MATERIALIZED (
        SELECT s.query, s.document, s.place, a.term, a.whole FROM said s
          JOIN asked a ON a.query = s.query AND s.terms @@ a.wanted
    ), counted AS (
        SELECT n.query, n.term, n.whole,
               CASE WHEN n.whole THEN 1 ELSE 0.25::double precision END
               * ln(1 + (z.sentences - n.sentences + 0.5) / (n.sentences + 0.5))::double precision AS idf
          FROM (SELECT f.query, f.term, f.whole, count(*)::double precision AS sentences
                  FROM found f GROUP BY f.query, f.term, f.whole) n
          JOIN (SELECT s.query, count(*)::double precision AS sentences FROM said s GROUP BY s.query) z
               ON z.query = n.query
    ), weighed AS (
        SELECT c.query, c.term, c.whole, c.idf / sum(c.idf) OVER (PARTITION BY c.query) AS weight FROM counted c
    )
    SELECT f.query, f.document, f.place,
           lag(f.place) OVER (PARTITION BY f.query, f.document, f.term, f.whole ORDER BY f.place), w.weight, f.whole
      FROM found f JOIN weighed w ON w.query = f.query AND w.term = f.term AND w.whole = f.whole
$$;
COMMENT ON FUNCTION answer_sentence_matches(integer) IS
    'Occurrences of the terms of each query in the sentences of its documents; weights sum to 1 per query';
