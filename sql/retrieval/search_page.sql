-- search_page: the k best documents of a query for display, by rank: name, year, venue, citations, title, and the
-- sentence of the abstract with the most words of the query (without words after a minus). For the arguments and errors
-- see system_search.
--
-- docs, scores: the ranking, best first, if the caller has it already; then nothing is searched, and k is ignored.
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
SET search_path = stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    lexemes text[] := tsvector_to_array(to_tsvector(text_config(), scored_words(search_page.query)));
BEGIN
    RETURN QUERY
    SELECT s.rank, s.score, s.doc, d.docno, f.year, f.venue, f.n_citation, t.title,
           best_sentence(t.abstract, coalesce(lexemes, '{}'))
      FROM (SELECT r.doc, r.score, r.rank
              FROM system_search(search_page.query, search_page.system, search_page.k, search_page.query_vector,
                                 search_page.filter, search_page.model) r
             WHERE search_page.docs IS NULL
             UNION ALL
            SELECT u.doc, u.score, u.place::integer
              FROM unnest(search_page.docs, search_page.scores) WITH ORDINALITY u (doc, score, place)) s
      LEFT JOIN dblp d ON d.id = s.doc  -- LEFT: the system must run even if dblp is empty, to raise its error
      LEFT JOIN dblp_facts f ON f.id = s.doc
      LEFT JOIN dblp_text t ON t.id = s.doc
     ORDER BY s.rank;
END
$$;
COMMENT ON FUNCTION search_page(text, text, integer, vector, jsonb, text, bigint[], double precision[]) IS
'The k best documents of a query with name, year, venue, citations, title and a sentence, by rank';
