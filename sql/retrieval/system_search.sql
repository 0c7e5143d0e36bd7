-- system_search: the k best documents of a query by a named system: boolean, bm25, dense-title, dense-abstract, hybrid. The one
-- place that says what the names mean.
--
-- dense-abstract ranks abstracts alone: a document without one is not found by it.
-- query_vector: the query's embedding by the default model; NULL takes the remembered one (embed_query), if the system needs it.
-- Raises IR107 no such system, and what the system's function raises.
CREATE OR REPLACE FUNCTION system_search(
    query text, system text DEFAULT 'hybrid', k integer DEFAULT 100, query_vector vector DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    CASE system_search.system
        WHEN 'boolean' THEN
            RETURN QUERY SELECT s.doc, s.score, s.rank FROM boolean_search(system_search.query, system_search.k) s;
        WHEN 'bm25' THEN
            RETURN QUERY SELECT s.doc, s.score, s.rank FROM bm25_search(system_search.query, system_search.k) s;
        WHEN 'dense-title', 'dense-abstract' THEN
            RETURN QUERY SELECT s.doc, s.score, s.rank
                           FROM dense_search(coalesce(system_search.query_vector, embed_query(system_search.query)),
                                             system_search.k, split_part(system_search.system, '-', 2)) s;
        WHEN 'hybrid' THEN
            RETURN QUERY SELECT s.doc, s.score, s.rank
                           FROM hybrid_search(system_search.query, system_search.k, system_search.query_vector,
                                              depth => greatest(system_search.k, 1000)) s;
        ELSE
            RAISE EXCEPTION USING ERRCODE = 'IR107',
                MESSAGE = format('there is no system %s', coalesce(system_search.system, 'NULL')),
                HINT = 'The systems are boolean, bm25, dense-title, dense-abstract and hybrid.';
    END CASE;
END
$$;
COMMENT ON FUNCTION system_search(text, text, integer, vector) IS
'The k best documents of a query by a system: boolean, bm25, dense-title, dense-abstract, hybrid';
