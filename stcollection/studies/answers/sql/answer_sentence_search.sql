-- answer_sentence_search: sentences of all documents of a split that are most similar to a query, by the GIN index of
-- their terms.
--
--   score = sum of idf(t) over the query's terms in the sentence · (k1 + 1) / (1 + k1 (1 - b + b L / L̄))
--
-- with idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5)) over the sentences of the split, k1 = 1.2, b = 0.75: BM25 with each
-- term counted once (Robertson & Zaragoza, FnT IR 3(4), 2009). L is the number of terms of the sentence, L̄ the mean
-- over the sentences found. Titles have place 0. Highest score first, ties by document and place. Only sentences
-- indexed by answer_index are found.
-- Raises IR113 no such data set, IR201 k below 1.
CREATE OR REPLACE FUNCTION answer_sentence_search(set text, split text, query text, k integer DEFAULT 10)
RETURNS TABLE (document bigint, place integer, text text, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    set_id integer := answer_set_key(answer_sentence_search.set, answer_sentence_search.split);
    asked text[] := tsvector_to_array(answer_terms(answer_sentence_search.query));
    anything tsquery := (SELECT string_agg(lexeme_term(t.term)::text, ' | ')::tsquery FROM unnest(asked) t (term));
BEGIN
    IF answer_sentence_search.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('k is %s', answer_sentence_search.k),
            HINT = 'k is the number of sentences; it must be 1 or more.';
    END IF;
    RETURN QUERY
    WITH found AS MATERIALIZED (
        SELECT s.document, s.place, s.text, s.terms, length(s.terms)::double precision AS terms_count
          FROM answer_sentences s JOIN answer_documents d ON d.id = s.document JOIN answer_queries q ON q.id = d.query
         WHERE s.terms @@ anything AND q.set = set_id
    ), sized AS (
        SELECT count(*)::double precision AS sentences FROM answer_queries q JOIN answer_documents d ON d.query = q.id
          JOIN answer_sentences s ON s.document = d.id WHERE q.set = set_id
    ), has AS (
        SELECT f.document, f.place, t.term FROM found f, unnest(asked) t (term) WHERE f.terms @@ lexeme_term(t.term)
    ), weighed AS (
        SELECT n.term, ln(1 + (z.sentences - n.sentences + 0.5) / (n.sentences + 0.5))::double precision AS idf
          FROM (SELECT h.term, count(*)::double precision AS sentences FROM has h GROUP BY h.term) n, sized z
    ), covered AS (
        SELECT h.document, h.place, sum(w.idf) AS weight FROM has h JOIN weighed w ON w.term = h.term
         GROUP BY h.document, h.place
    ), scored AS (
        SELECT f.document, f.place, f.text,
               c.weight * 2.2 / (1 + 1.2 * (0.25 + 0.75 * f.terms_count
                                            / avg(f.terms_count) OVER ()))::double precision AS score
          FROM found f JOIN covered c ON c.document = f.document AND c.place = f.place
    )
    SELECT r.document, r.place, r.text, r.score, row_number() OVER (ORDER BY r.score DESC, r.document, r.place)::integer
      FROM scored r ORDER BY 5 LIMIT answer_sentence_search.k;
END
$$;
COMMENT ON FUNCTION answer_sentence_search(text, text, text, integer) IS
    'Sentences of all documents of a split that are most similar to a query, by BM25; best first';
