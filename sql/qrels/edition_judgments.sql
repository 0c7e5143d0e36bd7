-- edition_judgments: what an edition says, by the names the outside world uses, ordered by query and document as bytes;
-- none for an edition that is not stored. The key is a scalar query, which goes below the DISTINCT ON of qrels, as a
-- join would not.
CREATE OR REPLACE FUNCTION edition_judgments(edition text)
RETURNS TABLE (topic text, query text, doc bigint, docno text, rel smallint, origin text)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT t.topic, q.query, j.doc, d.docno, j.rel, j.origin
      FROM qrels j
      JOIN st1_queries q ON q.id = j.query
      JOIN dblp d ON d.id = j.doc
      LEFT JOIN st1_topics t ON t.id = q.topic
     WHERE j.edition = (SELECT e.id FROM qrels_editions e WHERE e.edition = edition_judgments.edition COLLATE "C")
     ORDER BY q.query, d.docno
$$;
COMMENT ON FUNCTION edition_judgments(text) IS
'What an edition says, by name: topic, query, docno, grade, origin; by query and document';
