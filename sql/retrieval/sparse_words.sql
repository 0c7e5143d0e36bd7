-- sparse_words: the terms that the sparse vectors of a query and of a document share, and what each adds to the score
-- of sparse_search, largest first. The sum of added is the score.
--
-- query: the vector of the query, as pairs (sparse_vector). typed: the text of the query. in_query, in_document: false
-- if the model added the term: the text does not contain it. A term is a word of the vocabulary (vector_terms) or,
-- after ##, the later part of one; a text contains the parts of those of its words that the vocabulary lacks. NULL for
-- a model whose vocabulary is not stored: term is then its number.
-- Raises IR105 no such model, IR202 no vector of a query, IR405 the document has no vector.
CREATE OR REPLACE FUNCTION sparse_words(
    query vector, doc bigint, typed text DEFAULT NULL, model text DEFAULT NULL, field text DEFAULT 'content'
)
RETURNS TABLE (
    term text, query_weight real, document_weight real, added double precision, in_query boolean, in_document boolean
)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 50
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    space CONSTANT vector_models := vector_model(sparse_words.model, sparse => true);
    flat real[];
    stored real[];
    written text;
BEGIN
    PERFORM check_query_vector(sparse_words.query, space);
    EXECUTE format('SELECT sparse_pairs(v.%I)::real[] FROM %I v WHERE v.id = $1', vector_column(sparse_words.field),
                   space.relation)
       INTO stored USING sparse_words.doc;
    IF stored IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('document %s has no %s vector of %s', coalesce(sparse_words.doc::text, 'NULL'),
                             sparse_words.field, space.model),
            HINT = format('Compute it with ''stc vectors embed --model %s --field %s''.', space.model,
                          sparse_words.field);
    END IF;
    flat := sparse_words.query::real[];
    SELECT concat_ws(' ', CASE WHEN sparse_words.field <> 'abstract' THEN t.title END,
                     CASE WHEN sparse_words.field <> 'title' THEN t.abstract END)
      INTO written FROM dblp_text t WHERE t.id = sparse_words.doc;
    RETURN QUERY
    WITH texts (side, word) AS MATERIALIZED (
        SELECT DISTINCT s.side, lower(w.word)
          FROM (VALUES ('query', sparse_words.typed), ('document', written)) s (side, content)
         CROSS JOIN LATERAL regexp_split_to_table(s.content, '[^[:alnum:]]+') w (word)
         WHERE w.word <> ''),
    pieces AS MATERIALIZED (
        SELECT t.side, t.word FROM texts t
         WHERE NOT EXISTS (SELECT FROM vector_terms x WHERE x.model = space.model AND x.word = t.word)),
    shared AS MATERIALIZED (
        SELECT flat[q]::integer AS number, flat[q + 1] AS query_weight, stored[d + 1] AS document_weight
          FROM generate_series(1, cardinality(flat), 2) q
          JOIN generate_series(1, cardinality(stored), 2) d ON stored[d] = flat[q]
         WHERE flat[q + 1] * stored[d + 1] > 0)
    SELECT coalesce(x.word, s.number::text), s.query_weight, s.document_weight,
           s.query_weight::double precision * s.document_weight,
           CASE WHEN x.word IS NOT NULL AND sparse_words.typed IS NOT NULL THEN EXISTS (
               SELECT FROM texts t WHERE t.side = 'query' AND t.word = x.word UNION ALL
               SELECT FROM pieces p WHERE p.side = 'query' AND CASE WHEN x.word LIKE '##%'
                   THEN strpos(p.word, substr(x.word, 3)) > 1 ELSE starts_with(p.word, x.word) END) END,
           CASE WHEN x.word IS NOT NULL AND written IS NOT NULL THEN EXISTS (
               SELECT FROM texts t WHERE t.side = 'document' AND t.word = x.word UNION ALL
               SELECT FROM pieces p WHERE p.side = 'document' AND CASE WHEN x.word LIKE '##%'
                   THEN strpos(p.word, substr(x.word, 3)) > 1 ELSE starts_with(p.word, x.word) END) END
      FROM shared s LEFT JOIN vector_terms x ON x.model = space.model AND x.term = s.number
     ORDER BY 4 DESC, 1;
END
$$;
COMMENT ON FUNCTION sparse_words(vector, bigint, text, text, text) IS
'Terms that the sparse vectors of a query and a document share, what each adds, and whether the model added it';
