-- score_share: executes a statement of score_statement for every eighth of some queries, beginning with number share; see score_runs.
CREATE OR REPLACE FUNCTION score_share(
    share integer, statement text, edition integer, queries integer[], runs integer[], cutoffs integer[], firsts double precision[],
    numbers double precision[], levels integer[], complete boolean, max_rank integer, rules text)
RETURNS TABLE (run integer, query integer, number bigint, scores double precision[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = public, pg_temp
SET max_parallel_workers_per_gather = 0
SET jit = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY EXECUTE score_share.statement USING score_share.edition,
        ARRAY(SELECT id FROM unnest(score_share.queries) WITH ORDINALITY AS w (id, number) WHERE number % 8 = score_share.share % 8),
        score_share.cutoffs, score_share.firsts, score_share.numbers, score_share.levels, score_share.runs, score_share.complete,
        score_share.max_rank, score_share.rules;
END
$$;
COMMENT ON FUNCTION score_share(
    integer, text, integer, integer[], integer[], integer[], double precision[], double precision[], integer[], boolean, integer, text) IS
    'Executes a statement of score_statement for every eighth of some queries';
