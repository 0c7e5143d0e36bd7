-- score_share: execute a statement of score_statement for one share of the queries; shares are numbered from 1. See
-- score_runs.
CREATE OR REPLACE FUNCTION score_share(
    share integer, shares integer, statement text, edition integer, queries integer[], runs integer[],
    cutoffs integer[],
    numbers double precision[], levels integer[], complete boolean, max_rank integer, rules text)
RETURNS TABLE (run integer, query integer, number bigint, scores double precision[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET max_parallel_workers_per_gather = 0
SET jit = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
    IF score_share.share > score_share.shares THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE score_share.statement USING score_share.edition,
        ARRAY(SELECT id FROM unnest(score_share.queries) WITH ORDINALITY AS w (id, number)
               WHERE number % score_share.shares = score_share.share % score_share.shares),
        score_share.cutoffs, score_share.numbers, score_share.levels, score_share.runs, score_share.complete,
        score_share.max_rank, score_share.rules;
END
$$;
COMMENT ON FUNCTION score_share(
    integer, integer, text, integer, integer[], integer[], integer[], double precision[], integer[],
    boolean, integer, text) IS 'Executes a statement of score_statement for one share of the queries';
