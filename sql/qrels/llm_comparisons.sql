-- llm_comparisons: the next two documents that a language model should compare, one row per query of the sheet whose
-- order is not complete (pair_states), in the order of the sheet.
--
-- left_token and right_token are for compare_pair. query_set: only queries of this set (query_set).
-- Raises IR103 the set names no query, IR110 no such pool, IR202 the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION llm_comparisons(pool text, annotator text, query_set text DEFAULT 'all')
RETURNS TABLE (query integer, query_name text, left_token text, right_token text, left_doc bigint, right_doc bigint,
               remaining bigint)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH sheet AS MATERIALIZED (SELECT * FROM pool_share(llm_comparisons.pool, llm_comparisons.annotator))
    SELECT s.query, q.query, l.token, r.token, s.doc, s.other, s.remaining
      FROM pair_states(llm_comparisons.pool, llm_comparisons.annotator, query_set => llm_comparisons.query_set) s
      JOIN st1_queries q ON q.id = s.query
      JOIN sheet l ON l.query = s.query AND l.doc = s.doc
      JOIN sheet r ON r.query = s.query AND r.doc = s.other
     ORDER BY s.number
$$;
COMMENT ON FUNCTION llm_comparisons(text, text, text) IS
    'The next two documents that a language model should compare, per query whose order is not complete';
