-- run_parts: the queries of stored runs (st1_queries.id) in parts of some 50,000 ranked documents, for functions that
-- store a new run part by part (store_rankings).
CREATE OR REPLACE FUNCTION run_parts(runs integer[])
RETURNS SETOF integer[]
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT array_agg(n.query ORDER BY n.query)
      FROM (SELECT r.query, sum(count(*)) OVER (ORDER BY r.query) AS rows
              FROM st1_rankings r WHERE r.run = ANY (run_parts.runs) GROUP BY r.query) n
     GROUP BY ceil(n.rows / 50000) ORDER BY 1
$$;
COMMENT ON FUNCTION run_parts(integer[]) IS 'Queries of stored runs in parts of some 50,000 ranked documents';
