-- decided_before: query and token of the document that an annotator decided last, except the document of the token; no
-- row without such a document. again: only decisions before that of the token, whose document is shown again.
--
-- of_query: name of the token's query. Raises IR110 no such pool, IR202 the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION decided_before(pool text, annotator text, token text, again boolean,
                                          of_query text DEFAULT NULL)
RETURNS TABLE (query_name text, earlier_token text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH decided AS (
        SELECT a.query, a.doc, a.changed FROM qrels_assessments a
         WHERE a.pool = pool_key(decided_before.pool) AND a.annotator = decided_before.annotator COLLATE "C"
           AND NOT a.final),
    earlier AS (
        SELECT d.query, d.doc
          FROM decided d
          LEFT JOIN (SELECT o.query, o.doc, c.changed
                       FROM sheet_document(decided_before.pool, decided_before.annotator, decided_before.token,
                                           decided_before.of_query) o
                       LEFT JOIN decided c ON c.query = o.query AND c.doc = o.doc) here ON true
         WHERE (d.query, d.doc) IS DISTINCT FROM (here.query, here.doc)
           AND (NOT decided_before.again OR d.changed < here.changed)
         ORDER BY d.changed DESC LIMIT 1)
    SELECT q.query, s.token
      FROM earlier e
      JOIN st1_queries q ON q.id = e.query
     CROSS JOIN LATERAL pool_share(decided_before.pool, decided_before.annotator, e.query) s
     WHERE s.doc = e.doc
$$;
COMMENT ON FUNCTION decided_before(text, text, text, boolean, text) IS
    'Query and token of the document an annotator decided last, or before another one; no row if there is none';
