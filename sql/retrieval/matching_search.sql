-- matching_search: the documents that match a tsquery, best first by ts_rank, equal scores by docno descending ("C"),
-- also at rank k. boolean_search and conjunctive_search use it.
--
-- wanted: a query that an index can look up. filter: only documents that match it (filter_condition).
-- Raises IR202 an invalid filter.
CREATE OR REPLACE FUNCTION matching_search(wanted tsquery, k integer, filter jsonb)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET jit = off  -- compiling takes longer than most queries
AS $$
DECLARE
    condition text := filter_condition(matching_search.filter);
    found record;
    docs bigint[] := '{}';
    scores double precision[] := '{}';
BEGIN
    -- A loop, because Citus writes the rows of a subquery with a limit to a file.
    FOR found IN EXECUTE format(
        $sql$SELECT t.id, ts_rank(t.tsv, $2)::double precision AS value
               FROM dblp_text t %s
              WHERE t.tsv @@ $2 %s
              ORDER BY value DESC
              FETCH FIRST $3 ROWS WITH TIES$sql$,
        CASE WHEN condition IS NOT NULL THEN 'JOIN dblp_facts d ON d.id = t.id' END, ' AND ' || condition)
    USING matching_search.filter, matching_search.wanted, matching_search.k LOOP
        docs := docs || found.id;
        scores := scores || found.value;
    END LOOP;
    RETURN QUERY SELECT * FROM rank_documents(docs, scores, matching_search.k);
END
$$;
COMMENT ON FUNCTION matching_search(tsquery, integer, jsonb) IS
'Documents that match a tsquery, best first by ts_rank; exact top k';
