-- matching_search: the documents that match a tsquery, best first by ts_rank, equal scores by docno descending ("C"),
-- also at rank k. boolean_search and conjunctive_search use it.
--
-- wanted: a query that an index can look up. filter: only documents that match it (filter_condition).
-- Raises IR202 an invalid filter.
CREATE OR REPLACE FUNCTION matching_search(wanted tsquery, k integer, filter jsonb)
RETURNS TABLE (doc bigint, score double precision, rank integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc, public, pg_temp
SET jit = off  -- compiling takes longer than most queries
AS $$
DECLARE
    condition text := filter_condition(matching_search.filter);
BEGIN
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
    USING matching_search.filter, matching_search.wanted, matching_search.k;
END
$$;
COMMENT ON FUNCTION matching_search(tsquery, integer, jsonb) IS
'Documents that match a tsquery, best first by ts_rank; exact top k';
