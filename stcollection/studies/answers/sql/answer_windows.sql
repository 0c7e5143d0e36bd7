-- answer_windows: answers that documents give to their queries: the best windows of 1 to width sentences of each
-- document, for all queries of a split.
--
--   cover(W)  = sum of the weights of the query's terms and characters in the window (answer_sentence_matches); in
--               [0, 1]
--   asked(W)  = cover of the sentence or title right before the window if it is a question, else 0
--   brevity   = (k1 + 1) / (1 + k1 (1 - b + b L / L̄))
--               k1 = 1.2, b = 0.75; L terms of the window, L̄ mean terms of a sentence of the query's documents: BM25
--               with each term counted once (Robertson & Zaragoza, FnT IR 3(4), 2009); 1 at L = L̄
--   score     = (cover + follow · asked) · brevity · 0.25 if a sentence of it is a question · 0.5 if it adds no term to
--             the query's
--
-- A question is a sentence that ends like one (answer_is_question), or contains every term of the query.
--
-- A window that only repeats the question is not an answer; one that follows the question is likely to be. The title is
-- not part of a window. A document has up to per_document windows, none of which overlaps a better one. It has none (it
-- abstains) if nothing matches the query or all windows score below at_least. rank is within the document; ties go to
-- the earlier, then the shorter window.
-- Raises IR202 a width or a number of windows below 1, or a minimum score that is not a number.
CREATE OR REPLACE FUNCTION answer_windows(
    set_id integer, width integer DEFAULT 2, per_document integer DEFAULT 1, at_least double precision DEFAULT 0,
    follow double precision DEFAULT 0.5)
RETURNS TABLE (query integer, document bigint, first integer, last integer, text text, score double precision,
               rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF answer_windows.width NOT BETWEEN 1 AND 20 OR answer_windows.per_document < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('windows of up to %s, %s per document', counted(answer_windows.width, 'sentence'),
                             answer_windows.per_document),
            HINT = 'Use windows of 1 to 20 sentences, and at least one per document.';
    END IF;
    IF answer_windows.at_least = 'NaN' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the minimum score is %s', answer_windows.at_least),
            HINT = 'Give a number; 0 accepts every document that matches the query.';
    END IF;
    RETURN QUERY
    WITH matches AS MATERIALIZED (
        SELECT * FROM answer_sentence_matches(answer_windows.set_id)
    ), wanted AS MATERIALIZED (
        SELECT q.id AS query, string_agg(lexeme_term(t.term)::text, ' & ')::tsquery AS every
          FROM answer_queries q, unnest(tsvector_to_array(answer_terms(q.text))) t (term)
         WHERE q.set = answer_windows.set_id GROUP BY q.id
    ), said AS MATERIALIZED (
        SELECT d.query, s.document, s.place, length(s.terms)::double precision AS terms,
               answer_is_question(s.text) OR coalesce(s.terms @@ t.every, false) AS asks,
               avg(length(s.terms)::double precision) OVER (PARTITION BY d.query) AS mean_terms
          FROM answer_queries q JOIN answer_documents d ON d.query = q.id JOIN answer_sentences s ON s.document = d.id
          LEFT JOIN wanted t ON t.query = q.id
         WHERE q.set = answer_windows.set_id
    ), questions AS (
        SELECT m.document, m.place, sum(m.weight) AS cover
          FROM matches m JOIN said s ON s.document = m.document AND s.place = m.place WHERE s.asks
         GROUP BY m.document, m.place
    ), covers AS (
        SELECT c.document, c.first, c.last, sum(c.weight) AS weight, sum(c.matched) AS matched
          FROM (SELECT m.document, m.place - b.back AS first, m.place + n.more AS last, m.whole::integer AS matched,
                       CASE WHEN coalesce(m.before, -1) < m.place - b.back THEN m.weight ELSE 0 END AS weight
                  FROM matches m, generate_series(0, answer_windows.width - 1) b (back),
                       generate_series(0, answer_windows.width - 1 - b.back) n (more)
                 WHERE m.place - b.back > 0
                UNION ALL
                SELECT k.document, k.place + 1, k.place + 1 + n.more, 0, answer_windows.follow * k.cover
                  FROM questions k, generate_series(0, answer_windows.width - 1) n (more)) c
         GROUP BY c.document, c.first, c.last
    ), scored AS (
        SELECT min(s.query) AS query, c.document, c.first, c.last,
               min(c.weight) * 2.2::double precision
               / (1 + 1.2::double precision * (0.25::double precision + 0.75::double precision * sum(s.terms)
                                               / min(s.mean_terms)))
               * CASE WHEN bool_or(s.asks) THEN 0.25 ELSE 1 END
               * CASE WHEN sum(s.terms) <= min(c.matched) THEN 0.5 ELSE 1 END AS score
          FROM covers c CROSS JOIN generate_series(c.first, c.last) i (place)
          JOIN said s ON s.document = c.document AND s.place = i.place
         GROUP BY c.document, c.first, c.last HAVING count(*) = c.last - c.first + 1
    ), ranked AS MATERIALIZED (
        SELECT * FROM (SELECT s.*, row_number() OVER (PARTITION BY s.document
                                                      ORDER BY s.score DESC, s.first, s.last)::integer AS rank
                         FROM scored s WHERE s.score > 0 AND s.score >= answer_windows.at_least) r
         WHERE answer_windows.per_document > 1 OR r.rank = 1
    ), best AS (
        SELECT r.query, r.document, r.first, r.last, r.score,
               row_number() OVER (PARTITION BY r.document ORDER BY r.rank)::integer AS rank
          FROM ranked r
         WHERE NOT EXISTS (SELECT FROM ranked o WHERE o.document = r.document AND o.rank < r.rank
                                                  AND o.first <= r.last AND o.last >= r.first)
    )
    SELECT b.query, b.document, b.first, b.last, answer_window_text(b.document, b.first, b.last), b.score, b.rank
      FROM best b WHERE b.rank <= answer_windows.per_document
     ORDER BY b.query, b.document, b.rank;
END
$$;
COMMENT ON FUNCTION answer_windows(integer, integer, integer, double precision, double precision) IS
    'Best windows of sentences of each document by similarity to its query; a document without one abstains';
