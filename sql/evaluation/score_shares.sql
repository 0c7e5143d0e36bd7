-- score_shares: execute score_share for all queries in up to eight shares, which parallel workers process one after the
-- other.
--
-- There are two shares for each process: a worker starts some 25 ms late, and the caller takes more shares meanwhile.
-- More would only plan the statement more often. There is no SET, so that the function is inlined and the planner sees
-- the branches of a Parallel Append. Each share is a function call, because PostgreSQL runs no lateral subquery in a
-- parallel worker unless a function contains it.
CREATE OR REPLACE FUNCTION score_shares(
    shares integer, statement text, edition integer, queries integer[], runs integer[], cutoffs integer[],
    numbers double precision[], levels integer[], complete boolean, max_rank integer, rules text)
RETURNS TABLE (run integer, query integer, number bigint, scores double precision[])
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT * FROM stc.score_share(1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) UNION ALL
    SELECT * FROM stc.score_share(2, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) UNION ALL
    SELECT * FROM stc.score_share(3, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) UNION ALL
    SELECT * FROM stc.score_share(4, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) UNION ALL
    SELECT * FROM stc.score_share(5, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) UNION ALL
    SELECT * FROM stc.score_share(6, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) UNION ALL
    SELECT * FROM stc.score_share(7, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) UNION ALL
    SELECT * FROM stc.score_share(8, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
$$;
COMMENT ON FUNCTION score_shares(
    integer, text, integer, integer[], integer[], integer[], double precision[], integer[], boolean, integer, text) IS
    'Executes score_share for all queries in up to eight shares, for parallel workers; see score_runs';
