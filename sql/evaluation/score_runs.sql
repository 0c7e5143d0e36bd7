-- score_runs: execute a plan of score_plan: values of measures of runs, one row per run and query. All values are keys.
--
-- With means there is one row per run, or several whose sums must be added. scores has the values in the order of the
-- plan's names; number is the number of queries summed.
--
-- part: the queries are a part of the edition's. stored: runs whose values are stored, at the given places of the
-- array. A plan with one share is executed here, because starting parallel workers takes longer.
CREATE OR REPLACE FUNCTION score_runs(
    shares integer, statement text, edition integer, queries integer[], runs integer[], cutoffs integer[],
    numbers double precision[], levels integer[], complete boolean, max_rank integer, rules text,
    stored integer[], places integer[], means boolean, part boolean DEFAULT false)
RETURNS TABLE (run integer, query integer, number bigint, scores double precision[])
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET plan_cache_mode = force_generic_plan
SET jit = off
SET parallel_setup_cost = 0
SET parallel_tuple_cost = 0
AS $$
#variable_conflict use_column
BEGIN
    IF cardinality(score_runs.stored) > 0 THEN
        RETURN QUERY EXECUTE CASE WHEN score_runs.means THEN
            (SELECT 'SELECT v.run, NULL::integer, count(*), ARRAY['
                    || string_agg(format('sum(v.scores[%s])', place), ', ' ORDER BY i) || ']'
               FROM unnest(score_runs.places) WITH ORDINALITY AS p (place, i)) ELSE
            (SELECT 'SELECT v.run, v.query, 1::bigint, ARRAY['
                    || string_agg(format('v.scores[%s]', place), ', ' ORDER BY i) || ']'
               FROM unnest(score_runs.places) WITH ORDINALITY AS p (place, i)) END
            || ' FROM judged_scores v WHERE v.edition = $1 AND v.run = ANY ($2) AND ($3 OR v.scores[array_position(
                (SELECT g.measures FROM judged_runs g WHERE g.edition = v.edition AND g.run = v.run),
                 ''num_ret'')] > 0)'
            || CASE WHEN score_runs.part THEN ' AND v.query = ANY ($4)' ELSE '' END
            || CASE WHEN score_runs.means THEN ' GROUP BY v.run' ELSE '' END
            USING score_runs.edition, score_runs.stored, score_runs.complete, score_runs.queries;
    END IF;
    IF cardinality(score_runs.runs) = 0 THEN
        RETURN;
    ELSIF score_runs.shares = 1 THEN
        RETURN QUERY SELECT * FROM score_share(
            1, 1, score_runs.statement, score_runs.edition, score_runs.queries, score_runs.runs, score_runs.cutoffs,
            score_runs.numbers, score_runs.levels, score_runs.complete, score_runs.max_rank, score_runs.rules);
    ELSE
        RETURN QUERY SELECT * FROM score_shares(
            score_runs.shares, score_runs.statement, score_runs.edition, score_runs.queries, score_runs.runs,
            score_runs.cutoffs,
            score_runs.numbers, score_runs.levels, score_runs.complete, score_runs.max_rank, score_runs.rules);
    END IF;
END
$$;
COMMENT ON FUNCTION score_runs(
    integer, text, integer, integer[], integer[], integer[], double precision[], integer[], boolean, integer, text,
    integer[], integer[], boolean, boolean) IS
    'Executes a plan of score_plan: values of measures per run and query, or their sums per run; all values are keys';
