-- search_shown: the rows of search_page with their authors, and with the words of the query marked in title and
-- sentence (mark_words), by rank. authors: the first six; author_count: the number of all; doi, url: as in the record,
-- the first url of several. docs, scores: as for search_page. For the other arguments and errors see system_search.
CREATE OR REPLACE FUNCTION search_shown(
    query text, system text DEFAULT 'hybrid', k integer DEFAULT 10, query_vector vector DEFAULT NULL,
    filter jsonb DEFAULT NULL,
    model text DEFAULT NULL, docs bigint[] DEFAULT NULL, scores double precision[] DEFAULT NULL
)
RETURNS TABLE (
    rank integer, score double precision, doc bigint, docno text, year integer, venue text, citations integer,
    title text,
    snippet text, authors text[], author_count integer, doi text, url text
)
LANGUAGE plpgsql STABLE ROWS 10
SET search_path = stc_all, stc, public, pg_temp
SET jit = off  -- compiling takes longer than the query
AS $$
#variable_conflict use_column
DECLARE
    marks tsquery := query_marks(search_shown.query);
    page record;
    stored jsonb;
    names text[];
BEGIN
    -- Two lookups for each document: Citus cannot join the rows of a function with documents and their authors.
    FOR page IN
        SELECT * FROM search_page(search_shown.query, search_shown.system, search_shown.k, search_shown.query_vector,
                                  search_shown.filter, search_shown.model, search_shown.docs, search_shown.scores) p
         ORDER BY p.rank
    LOOP
        SELECT r.doc INTO stored FROM dblp r WHERE r.id = page.doc;
        names := ARRAY(SELECT x.name FROM dblp_authors x WHERE x.doc = page.doc AND x.name IS NOT NULL
                        ORDER BY x.position);
        RETURN QUERY
        SELECT page.rank, page.score, page.doc, page.docno, page.year, page.venue, page.citations,
               mark_words(page.title, marks), mark_words(page.snippet, marks), (nullif(names, '{}'))[:6],
               cardinality(names), stored ->> 'doi',
               stored #>> CASE jsonb_typeof(stored -> 'url') WHEN 'array' THEN '{url,0}' ELSE '{url}' END::text[];
    END LOOP;
END
$$;
COMMENT ON FUNCTION search_shown(text, text, integer, vector, jsonb, text, bigint[], double precision[]) IS
'Rows of search_page with their authors and with the words of the query marked';
