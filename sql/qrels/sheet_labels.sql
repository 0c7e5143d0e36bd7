-- sheet_labels: labels of a language model that an annotator may see now, for some documents of the sheet: all if the
-- pool shows them next to the document, else those of documents that the annotator has decided, or decided and undone.
--
-- tokens: documents of the sheet. of_query: name of their query, if it is known and the same.
-- Raises IR110 no such pool, IR202 the pool is not shared with the annotator.
CREATE OR REPLACE FUNCTION sheet_labels(pool text, annotator text, tokens text[], of_query text DEFAULT NULL)
RETURNS TABLE (token text, rel smallint, judge text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT s.token, l.rel, l.judge
      FROM (SELECT (SELECT q.id FROM st1_queries q WHERE q.query = sheet_labels.of_query COLLATE "C") AS id) q
     CROSS JOIN LATERAL pool_share(sheet_labels.pool, sheet_labels.annotator, q.id) s
     CROSS JOIN LATERAL pool_label(pool_key(sheet_labels.pool), s.query, s.doc) l
      LEFT JOIN qrels_assessments a
        ON a.pool = pool_key(sheet_labels.pool) AND a.query = s.query AND a.doc = s.doc
            AND a.annotator = sheet_labels.annotator COLLATE "C"
     WHERE (SELECT p.params ? 'labels' FROM qrels_pools p WHERE p.id = pool_key(sheet_labels.pool))
       AND s.token = ANY (sheet_labels.tokens)
       AND (l.beside OR a.rel IS NOT NULL OR a.undecided OR a.label IS NOT NULL)
$$;
COMMENT ON FUNCTION sheet_labels(text, text, text[], text) IS
    'Labels of a language model that an annotator may see now, for documents of the sheet';
