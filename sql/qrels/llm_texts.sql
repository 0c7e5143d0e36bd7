-- llm_texts: texts to fill into a prompt for pairs of query and document, in the order given.
--
-- article_length: maximum number of characters of the article (article_text), which is cut after a word and marked
-- with …; NULL omits the article.
CREATE OR REPLACE FUNCTION llm_texts(queries integer[], docs bigint[], article_length integer DEFAULT NULL)
RETURNS TABLE (query integer, doc bigint, query_name text, docno text, topic text, query_text text, title text,
               abstract text, article text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT q.id, d.id, q.query, d.docno, t.text, q.text, x.title, x.abstract, a.article
      FROM unnest(llm_texts.queries, llm_texts.docs) WITH ORDINALITY AS p(query, doc, place)
      JOIN st1_queries q ON q.id = p.query
      JOIN dblp d ON d.id = p.doc
      LEFT JOIN st1_topics t ON t.id = q.topic
      LEFT JOIN (SELECT w.id, CASE WHEN length(w.whole) <= llm_texts.article_length THEN w.whole
                                   ELSE regexp_replace(left(w.whole, llm_texts.article_length), '\s+\S*$', '') || ' …'
                              END AS article
                   FROM (SELECT o.id, article_text(o) AS whole FROM st1_topics o
                          WHERE llm_texts.article_length IS NOT NULL
                            AND o.id IN (SELECT r.topic FROM st1_queries r WHERE r.id = ANY (llm_texts.queries))) w) a
        ON a.id = q.topic
      LEFT JOIN dblp_text x ON x.id = d.id
     ORDER BY p.place
$$;
COMMENT ON FUNCTION llm_texts(integer[], bigint[], integer) IS
    'Texts to fill into a prompt for pairs of query and document, in the order given';
