-- edition_judgments: judgments of an edition with external names, ordered by query and document as bytes; no row for an
-- edition that is not stored. query_set: only the queries of a set (query_set).
--
-- The key is a scalar subquery, which is pushed below the DISTINCT ON of qrels; a join would not be.
CREATE OR REPLACE FUNCTION edition_judgments(edition text, query_set text DEFAULT 'all')
RETURNS TABLE (topic text, query text, doc bigint, docno text, rel smallint, origin text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT t.topic, q.query, j.doc, d.docno, j.rel, j.origin
      FROM qrels j
      JOIN st1_queries q ON q.id = j.query
      JOIN dblp d ON d.id = j.doc
      LEFT JOIN st1_topics t ON t.id = q.topic
     WHERE j.edition = (SELECT e.id FROM qrels_editions e WHERE e.edition = edition_judgments.edition COLLATE "C")
       AND (edition_judgments.query_set = 'all'
            OR q.id IN (SELECT unnest(query_set_ids(edition_judgments.query_set))))
     ORDER BY q.query, d.docno
$$;
COMMENT ON FUNCTION edition_judgments(text, text) IS
    'Judgments of an edition by name: topic, query, docno, grade and origin; by query and document';
