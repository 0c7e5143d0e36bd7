-- score_shares: score_share for all the queries given, in up to eight shares, which parallel processes take one after
-- the other. More shares than processes would plan the statement more often.
--
-- It has no SET, so that it is inlined and the planner sees the branches of a Parallel Append. The shares are calls,
-- since PostgreSQL runs no lateral subquery in a parallel worker, but a function that holds one.
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
    'score_share in up to eight shares, for parallel processes; see score_runs';
