-- search_statement: the statement that gives the page of a search in psql, values quoted: no more than what it is
-- called with becomes part of it, whatever stands in the query. A system that ranks by vectors takes the query's by
-- embed_query: the remembered one, or by the embedding service.
--
--   SELECT search_statement('voice assistants', 'hybrid', 10, '{"year": [2015, null]}');
--
-- Raises IR201 k below 1.
CREATE OR REPLACE FUNCTION public.search_statement(
    query text, system text DEFAULT 'hybrid', k integer DEFAULT 10, filter jsonb DEFAULT NULL, model text DEFAULT NULL
)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    IF search_statement.k IS NULL OR search_statement.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('k is %s', coalesce(search_statement.k::text, 'NULL')),
            HINT = 'k is how many documents to return, 1 or more.';
    END IF;
    RETURN concat(
        E'SELECT rank, score, docno, year, venue, citations, title, snippet\n  FROM stc.search_page(query => ',
        quote_nullable(query), E',\n                   system => ', quote_nullable(system), ', k => ', k,
        E',\n                   filter => ' || quote_literal(filter::text),
        E',\n                   model => ' || quote_literal(model),
        E')\n ORDER BY rank;');
END
$$;
COMMENT ON FUNCTION public.search_statement(text, text, integer, jsonb, text) IS
'The statement that gives the page of a search in psql';
