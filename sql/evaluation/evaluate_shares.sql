-- evaluate_shares: evaluate_queries for all the queries given, in eight shares, which parallel processes take one after the other.
--
-- It has no SET, so that it is inlined and the planner sees the branches of a Parallel Append. The shares are calls, since PostgreSQL
-- runs no lateral subquery in a parallel worker, but a function that holds one.
CREATE OR REPLACE FUNCTION evaluate_shares(edition integer, queries integer[], runs integer[], cutoffs integer[], complete boolean)
RETURNS TABLE (run integer, query integer, cutoff integer, ndcg double precision, precision_at double precision, recall_at double precision,
               reciprocal_rank double precision, average_precision double precision, bpref double precision)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT * FROM evaluate_queries(1, edition, queries, runs, cutoffs, complete) UNION ALL
    SELECT * FROM evaluate_queries(2, edition, queries, runs, cutoffs, complete) UNION ALL
    SELECT * FROM evaluate_queries(3, edition, queries, runs, cutoffs, complete) UNION ALL
    SELECT * FROM evaluate_queries(4, edition, queries, runs, cutoffs, complete) UNION ALL
    SELECT * FROM evaluate_queries(5, edition, queries, runs, cutoffs, complete) UNION ALL
    SELECT * FROM evaluate_queries(6, edition, queries, runs, cutoffs, complete) UNION ALL
    SELECT * FROM evaluate_queries(7, edition, queries, runs, cutoffs, complete) UNION ALL
    SELECT * FROM evaluate_queries(8, edition, queries, runs, cutoffs, complete)
$$;
COMMENT ON FUNCTION evaluate_shares(integer, integer[], integer[], integer[], boolean) IS
    'evaluate_queries in eight shares, for parallel processes; see evaluate';
