-- search_beside: the k best documents of a query by several systems, for comparing them: by system, in the given order,
-- and rank. title: with the words of the query marked (mark_words). The systems share the query vector. For the other
-- arguments and errors see system_search.
CREATE OR REPLACE FUNCTION search_beside(
    query text, systems text[], k integer DEFAULT 10, query_vector vector DEFAULT NULL, filter jsonb DEFAULT NULL,
    model text DEFAULT NULL
)
RETURNS TABLE (system text, rank integer, score double precision, doc bigint, docno text, title text, year integer,
               venue text)
LANGUAGE plpgsql STABLE ROWS 30
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    marks CONSTANT tsquery := query_marks(search_beside.query);
BEGIN
    RETURN QUERY
    SELECT u.system, p.rank, p.score, p.doc, p.docno, mark_words(p.title, marks), p.year, p.venue
      FROM unnest(search_beside.systems) WITH ORDINALITY u (system, place)
     CROSS JOIN LATERAL search_page(search_beside.query, u.system, search_beside.k, search_beside.query_vector,
                                    search_beside.filter, search_beside.model) p
     ORDER BY u.place, p.rank;
END
$$;
COMMENT ON FUNCTION search_beside(text, text[], integer, vector, jsonb, text) IS
'The k best documents of a query by several systems, by system and rank';
