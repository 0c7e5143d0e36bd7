-- run_parts: the queries of stored runs (st1_queries.id) in parts of some 500,000 ranked documents, for functions that
-- store a new run part by part (store_rankings).
CREATE OR REPLACE FUNCTION run_parts(runs integer[])
RETURNS SETOF integer[]
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT array_agg(n.query ORDER BY n.query)
      FROM (SELECT l.query, sum(sum(cardinality(l.docs))) OVER (ORDER BY l.query) AS rows
              FROM ranked_lists l WHERE l.run = ANY (run_parts.runs) GROUP BY l.query) n
     GROUP BY ceil(n.rows / 500000) ORDER BY 1
$$;
COMMENT ON FUNCTION run_parts(integer[]) IS 'Queries of stored runs in parts of some 500,000 ranked documents';
