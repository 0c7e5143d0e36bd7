-- search_page: the k best documents of a query for display, by rank: name, year, venue, citations, title, and the
-- sentence of the abstract with the most words of the query (without words after a minus). For the arguments and errors
-- see system_search.
--
-- docs, scores: the ranking, best first, if the caller has it already; then nothing is searched, and k is ignored.
-- Raises IR405 no documents.
CREATE OR REPLACE FUNCTION search_page(
    query text, system text DEFAULT 'hybrid', k integer DEFAULT 10, query_vector vector DEFAULT NULL,
    filter jsonb DEFAULT NULL,
    model text DEFAULT NULL, docs bigint[] DEFAULT NULL, scores double precision[] DEFAULT NULL
)
RETURNS TABLE (
    rank integer, score double precision, doc bigint, docno text, year integer, venue text, citations integer,
    title text, snippet text
)
LANGUAGE plpgsql STABLE ROWS 10
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    lexemes text[] := tsvector_to_array(to_tsvector(text_config(), bm25_query(search_page.query)));
    found bigint[] := search_page.docs;
    values double precision[] := search_page.scores;
BEGIN
    IF found IS NULL THEN
        PERFORM check_corpus();
        SELECT array_agg(r.doc ORDER BY r.rank), array_agg(r.score ORDER BY r.rank) INTO found, values
          FROM system_search(search_page.query, search_page.system, search_page.k, search_page.query_vector,
                             search_page.filter, search_page.model) r;
    END IF;
    -- In a distributed collection, the shards return the rows (facts and texts are joined with dblp, not with the
    -- ranking), and the coordinator, which has the text configuration, chooses the sentences (OFFSET 0).
    RETURN QUERY
    SELECT o.place::integer, o.score, o.doc, o.docno, o.year, o.venue, o.n_citation, o.title,
           best_sentence(o.abstract, coalesce(lexemes, '{}'))
      FROM (SELECT s.place, s.score, s.doc, d.docno, f.year, f.venue, f.n_citation, t.title, t.abstract
              FROM unnest(found, values) WITH ORDINALITY s (doc, score, place)
              JOIN dblp d ON d.id = s.doc
              LEFT JOIN dblp_facts f ON f.id = d.id
              LEFT JOIN dblp_text t ON t.id = d.id
            OFFSET 0) o
     ORDER BY o.place;
END
$$;
COMMENT ON FUNCTION search_page(text, text, integer, vector, jsonb, text, bigint[], double precision[]) IS
'The k best documents of a query with name, year, venue, citations, title and a sentence, by rank';
