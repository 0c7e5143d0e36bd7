-- text_judgments: judgments of documents in all editions for the stored queries with a given text, one row per edition,
-- query and document as in the view qrels; by document, edition and query. No row if no query has the text.
CREATE OR REPLACE FUNCTION text_judgments(query_text text, docs bigint[])
RETURNS TABLE (doc bigint, edition text, query text, rel smallint, origin text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT j.doc, e.edition, q.query, j.rel, j.origin
      FROM st1_queries q
     CROSS JOIN qrels_editions e
      JOIN qrels j ON j.edition = e.id AND j.query = q.id
     WHERE q.text = query_text AND j.doc = ANY (docs)
     ORDER BY j.doc, e.edition, q.query
$$;
COMMENT ON FUNCTION text_judgments(text, bigint[]) IS
    'Judgments of documents in all editions for the stored queries with a given text; by document, edition and query';
