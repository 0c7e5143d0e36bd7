-- llm_texts: texts to fill into a prompt for pairs of query and document, in the order given.
CREATE OR REPLACE FUNCTION llm_texts(queries integer[], docs bigint[])
RETURNS TABLE (query integer, doc bigint, query_name text, docno text, topic text, query_text text, title text,
               abstract text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    SELECT q.id, d.id, q.query, d.docno, t.text, q.text, x.title, x.abstract
      FROM unnest(llm_texts.queries, llm_texts.docs) WITH ORDINALITY AS p(query, doc, place)
      JOIN st1_queries q ON q.id = p.query
      JOIN dblp d ON d.id = p.doc
      LEFT JOIN st1_topics t ON t.id = q.topic
      LEFT JOIN dblp_text x ON x.id = d.id
     ORDER BY p.place
$$;
COMMENT ON FUNCTION llm_texts(integer[], bigint[]) IS
    'Texts to fill into a prompt for pairs of query and document, in the order given';
