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
SET search_path = stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    marks CONSTANT tsquery := query_marks(search_beside.query);
    named text;
    docs bigint[];
    scores double precision[];
BEGIN
    FOREACH named IN ARRAY search_beside.systems LOOP
        SELECT array_agg(r.doc ORDER BY r.rank), array_agg(r.score ORDER BY r.rank) INTO docs, scores
          FROM system_search(search_beside.query, named, search_beside.k, search_beside.query_vector,
                             search_beside.filter, search_beside.model) r;
        RETURN QUERY
        SELECT named, o.place::integer, o.score, o.doc, o.docno, mark_words(o.title, marks), o.year, o.venue
          FROM (SELECT s.place, s.score, s.doc, d.docno, t.title, f.year, f.venue
                  FROM unnest(docs, scores) WITH ORDINALITY s (doc, score, place)
                  JOIN dblp d ON d.id = s.doc
                  LEFT JOIN dblp_facts f ON f.id = d.id
                  LEFT JOIN dblp_text t ON t.id = d.id
                OFFSET 0) o
         ORDER BY o.place;
    END LOOP;
END
$$;
COMMENT ON FUNCTION search_beside(text, text[], integer, vector, jsonb, text) IS
'The k best documents of a query by several systems, by system and rank';
