-- system_search: the k best documents of a query by a named system: of the product (systems.toml), or added by users
-- (add_system). The view systems lists them.
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
    call CONSTANT text := (SELECT b.call FROM product_systems() b WHERE b.system = system_search.system);
    asked vector := system_search.query_vector;
BEGIN
    IF call IS NULL THEN
        RETURN QUERY SELECT s.doc, s.score, s.rank
            FROM own_search(system_search.system, system_search.query, system_search.k, asked, system_search.filter,
                            system_search.model) s;
        RETURN;
    END IF;
    PERFORM check_k(system_search.k);
    IF asked IS NULL AND call LIKE '%$3%' THEN
        asked := embed_query(system_search.query, (system_model(system_search.system, system_search.model)).model);
    END IF;
    RETURN QUERY EXECUTE 'SELECT s.doc, s.score, s.rank FROM ' || call || ' s'
        USING system_search.query, system_search.k, asked, system_search.filter, system_search.model;
END
$$;
COMMENT ON FUNCTION public.system_search(text, text, integer, vector, jsonb, text) IS
'The k best documents of a query by a system, one of the view systems';
