-- search_statement: the SQL statement that returns the results of a search in psql. Arguments are quoted, so that
-- nothing in them becomes SQL. A system that ranks by vectors calls embed_query for the query: cached, or from the
-- embedding service.
--
--   SELECT search_statement('voice assistants', 'hybrid', 10, '{"year": [2015, null]}');
--
-- Raises IR201 k below 1.
CREATE OR REPLACE FUNCTION public.search_statement(
    query text, system text DEFAULT 'hybrid', k integer DEFAULT 10, filter jsonb DEFAULT NULL, model text DEFAULT NULL
)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    PERFORM check_k(search_statement.k);
    RETURN concat(
        E'SELECT rank, score, docno, year, venue, citations, title, snippet\n  FROM stc.search_page(query => ',
        quote_nullable(query), E',\n                   system => ', quote_nullable(system), ', k => ', k,
        E',\n                   filter => ' || quote_literal(filter::text),
        E',\n                   model => ' || quote_literal(model),
        E')\n ORDER BY rank;');
END
$$;
COMMENT ON FUNCTION public.search_statement(text, text, integer, jsonb, text) IS
'SQL statement that returns the results of a search in psql';
