-- coverage_overview: stored coverages by name: query and text, number of abstracts, options, and number of topics of
-- each kind.
CREATE OR REPLACE FUNCTION coverage_overview()
RETURNS TABLE (
    coverage text, query text, text text, documents integer, params jsonb, topics bigint, itemsets bigint,
    concepts bigint,
    made timestamptz
)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT c.coverage, q.query, c.text, cardinality(c.docs), c.params,
           count(*) FILTER (WHERE t.kind = 'lda'), count(*) FILTER (WHERE t.kind = 'itemset'),
           count(*) FILTER (WHERE t.kind = 'concept'),
           c.made
      FROM coverages c LEFT JOIN st1_queries q ON q.id = c.query LEFT JOIN coverage_topics t ON t.coverage = c.id
     GROUP BY c.id, q.query
     ORDER BY c.coverage
$$;
COMMENT ON FUNCTION coverage_overview() IS
    'Stored topic coverages by name, with the number of their topics of each kind';
