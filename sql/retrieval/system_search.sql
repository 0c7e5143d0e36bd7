-- system_search: the k best documents of a query by a named system. The names of the systems are defined here.
--
--   boolean         boolean_search       all words, or enough of a long question
--   conjunctive     conjunctive_search   all words of any query, without operators, as in the published boolean run
--   conjunctive-passage  conjunctive_passage_search  all words of any query in one passage of the abstract
--   bm25            bm25_search
--   rm3             rm3_search           BM25 with words of the first documents added
--   dense-<field>   dense_search         field title, abstract, content (both as one text); only documents that have it
--   dense-passage   passage_search       the best passage of each abstract
--   rocchio-<field> rocchio_search       dense, the query moved towards the first documents
--   hybrid          hybrid_search        BM25 and vectors, fused
--
-- query_vector: the query's embedding by the model; if NULL, and if the system needs one, embed_query returns it.
-- model: short name of an embedding model; NULL is the default model. filter: only documents that match it
-- (filter_condition).
-- Raises IR107 no such system, and the errors of the system's function.
CREATE OR REPLACE FUNCTION public.system_search(
    query text, system text DEFAULT 'hybrid', k integer DEFAULT 100, query_vector vector DEFAULT NULL,
    filter jsonb DEFAULT NULL,
    model text DEFAULT NULL
)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    kind text := split_part(system_search.system, '-', 1);
    field text := split_part(system_search.system, '-', 2);
    asked vector := system_search.query_vector;
BEGIN
    PERFORM check_system_name(system_search.system);
    IF kind IN ('dense', 'rocchio') AND asked IS NULL THEN
        asked := embed_query(system_search.query, system_search.model);
    END IF;
    CASE kind
        WHEN 'boolean' THEN
            RETURN QUERY SELECT *
                FROM boolean_search(system_search.query, system_search.k, filter => system_search.filter);
        WHEN 'conjunctive' THEN
            IF field = 'passage' THEN
                RETURN QUERY SELECT *
                    FROM conjunctive_passage_search(system_search.query, system_search.k, system_search.filter);
                RETURN;
            END IF;
            RETURN QUERY SELECT *
                FROM conjunctive_search(system_search.query, system_search.k, system_search.filter);
        WHEN 'bm25' THEN
            RETURN QUERY SELECT *
                FROM bm25_search(system_search.query, system_search.k, filter => system_search.filter);
        WHEN 'rm3' THEN
            RETURN QUERY SELECT * FROM rm3_search(system_search.query, system_search.k, filter => system_search.filter);
        WHEN 'dense' THEN
            IF field = 'passage' THEN
                RETURN QUERY SELECT * FROM passage_search(asked, system_search.k, model => system_search.model,
                                                          filter => system_search.filter);
                RETURN;
            END IF;
            RETURN QUERY SELECT * FROM dense_search(asked, system_search.k, field, system_search.model,
                                                    filter => system_search.filter);
        WHEN 'rocchio' THEN
            RETURN QUERY SELECT * FROM rocchio_search(asked, system_search.k, field, system_search.model,
                                                      filter => system_search.filter);
        WHEN 'hybrid' THEN
            RETURN QUERY SELECT * FROM hybrid_search(system_search.query, system_search.k, asked,
                                                     depth => greatest(system_search.k, 1000),
                                                     filter => system_search.filter,
                                                     model => system_search.model);
    END CASE;
END
$$;
COMMENT ON FUNCTION public.system_search(text, text, integer, vector, jsonb, text) IS
'The k best documents of a query by a system: boolean, conjunctive, conjunctive-passage, bm25, rm3, '
'dense-<field>, rocchio-<field>, hybrid';
