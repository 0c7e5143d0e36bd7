-- pair_states: state of an annotator's comparisons, one row per query of the sheet, in the order of the sheet: what
-- pair_order makes of the documents of the sheet and the stored comparisons.
--
--   number      place of the query on the sheet, from 1; with only_query 1
--   documents   documents of the query on the sheet, and comparisons that are stored
--   submitted   the order is submitted; its comparisons cannot change any more
--
-- only_query: this query alone, so that only its documents are read; NULL means all. query_set: only queries of this
-- set (query_set).
-- Raises IR103 the set names no query, IR110 no such pool, IR202 the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION pair_states(pool text, annotator text, only_query text DEFAULT NULL,
                                       query_set text DEFAULT 'all')
RETURNS TABLE (number bigint, query integer, documents integer, compared bigint, undecided bigint, submitted boolean,
               placed bigint[], levels integer[], aside bigint[], doc bigint, other bigint, remaining bigint)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH sheet AS (
        SELECT s.query, array_agg(s.doc ORDER BY s.place) AS docs, row_number() OVER (ORDER BY min(s.place)) AS number
          FROM (SELECT (SELECT q.id FROM st1_queries q WHERE q.query = pair_states.only_query COLLATE "C") AS id) o
         CROSS JOIN LATERAL pool_share(pair_states.pool, pair_states.annotator, o.id) s
         WHERE pair_states.only_query IS NULL OR o.id IS NOT NULL
         GROUP BY s.query),
    stored AS (
        SELECT c.query, count(*) AS compared, count(*) FILTER (WHERE c.choice = 'undecided') AS undecided,
               count(c.submitted) > 0 AS submitted,
               jsonb_object_agg(concat(c.left_doc, ':', c.right_doc),
                                CASE c.choice WHEN 'left' THEN 'better' WHEN 'right' THEN 'worse' ELSE c.choice END)
               || jsonb_object_agg(concat(c.right_doc, ':', c.left_doc),
                                   CASE c.choice WHEN 'left' THEN 'worse' WHEN 'right' THEN 'better'
                                                 ELSE c.choice END) AS choices
          FROM qrels_comparisons c
         WHERE c.pool = pool_key(pair_states.pool) AND c.annotator = pair_states.annotator COLLATE "C"
           AND c.query IN (SELECT s.query FROM sheet s)
         GROUP BY c.query)
    SELECT s.number, s.query, cardinality(s.docs), coalesce(c.compared, 0), coalesce(c.undecided, 0),
           coalesce(c.submitted, false), o.placed, o.levels, o.aside, o.doc, o.other, o.remaining
      FROM sheet s
      JOIN st1_queries q ON q.id = s.query
      LEFT JOIN stored c ON c.query = s.query
     CROSS JOIN LATERAL pair_order(s.docs, coalesce(c.choices, '{}')) o
     WHERE (pair_states.query_set = 'all' OR q.id IN (SELECT unnest(query_set_ids(pair_states.query_set))))
     ORDER BY s.number
$$;
COMMENT ON FUNCTION pair_states(text, text, text, text) IS
    'State of an annotator''s comparisons per query of the sheet: order so far, next pair, comparisons left at most';
