-- pool_reviews: review status of the documents of a pool over time (review_document), by query and document, the
-- earliest first. current: the mark that counts.
--
-- Raises IR110 no such pool.
CREATE OR REPLACE FUNCTION pool_reviews(pool text)
RETURNS TABLE (query text, docno text, state text, reviewer text, note text, marked timestamptz, current boolean)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT q.query, d.docno, r.state, r.reviewer, r.note, r.marked,
           r.id = max(r.id) OVER (PARTITION BY r.query, r.doc)
      FROM qrels_reviews r
      JOIN st1_queries q ON q.id = r.query
      JOIN dblp d ON d.id = r.doc
     WHERE r.pool = pool_key(pool_reviews.pool)
     ORDER BY q.query COLLATE "C", d.docno, r.id
$$;
COMMENT ON FUNCTION pool_reviews(text) IS
    'Review status of the documents of a pool over time: open, in review or settled, by whom and when';
