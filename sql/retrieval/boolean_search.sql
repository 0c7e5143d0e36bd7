-- boolean_search: the documents that hold all words of the query, best first.
--
-- The query is read as by web search engines (websearch_to_tsquery): all words must be there, "a phrase" in its order, one of
-- several joined by or, and none behind a minus; a plus changes nothing. Words are stemmed and stop words left out as the text
-- index does. A query that names nothing that must be there (empty, stop words, -games alone) has no answer: no rows.
--
-- Score: ts_rank with weight 1 for the title (A) and .4 for the abstract (B), no length normalisation; it led ts_rank_cd and the
-- normalisations on all-words queries cut from Cranfield, NPL and CACM. The top k are exact, ties by docno descending ("C"), also
-- at the cut. GIN is kept up by every write, so a stale text index does not matter here.
--
-- filter: only documents that it lets through (filter_condition).
-- Raises IR201 k below 1, IR202 a filter that cannot be read.
CREATE OR REPLACE FUNCTION boolean_search(query text, k integer DEFAULT 100, filter jsonb DEFAULT NULL)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = public, pg_temp
SET client_min_messages = warning  -- "contains only stop words" is nothing to tell
SET jit = off  -- compiling takes longer than most queries
AS $$
DECLARE
    wanted tsquery := parse_query(boolean_search.query);
    condition text := filter_condition(boolean_search.filter);
BEGIN
    IF boolean_search.k IS NULL OR boolean_search.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('k is %s', coalesce(boolean_search.k::text, 'NULL')),
            HINT = 'k is how many documents to return, 1 or more.';
    END IF;
    -- querytree is the part that an index can look up: nothing, or T for what only asks for absence.
    IF coalesce(querytree(wanted), '') IN ('', 'T') THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format(
        $sql$WITH best AS (
                 SELECT t.id, ts_rank(t.tsv, $2)::double precision AS value
                   FROM dblp_text t %s
                  WHERE t.tsv @@ $2 %s
                  ORDER BY value DESC
                  FETCH FIRST $3 ROWS WITH TIES)
             SELECT s.id, s.value, (row_number() OVER (ORDER BY s.value DESC, d.docno DESC))::integer
               FROM best s JOIN dblp d ON d.id = s.id
              ORDER BY s.value DESC, d.docno DESC
              LIMIT $3$sql$,
        CASE WHEN condition IS NOT NULL THEN 'JOIN dblp_facts d ON d.id = t.id' END, ' AND ' || condition)
    USING boolean_search.filter, wanted, boolean_search.k;
END
$$;
COMMENT ON FUNCTION boolean_search(text, integer, jsonb) IS
'Documents that hold all words of a query (web search syntax), by ts_rank; exact top k';
