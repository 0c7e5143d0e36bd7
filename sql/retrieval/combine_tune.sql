-- combine_tune: the loss of relevance and the gain in readability and credibility of a stored run for many weights of
-- the measures, most relevant first.
--
--   SELECT * FROM combine_tune('hybrid', 'train', '{textstat_fkgl,citation_percentile}') WHERE curve;
--
-- measures    measures to combine with relevance (combine_measures); transforms and missing are those of combine_run
-- steps       all weights are multiples of 1 / steps and sum to 1 (tune_grid)
-- ndcg        nDCG at the cutoff of the run that combine_run would create: the mean over the queries of the edition, as
--             in evaluate
-- gain        mean of the measures' transformed values, with equal weights, over the first cutoff documents of a query;
--             averaged over the queries that have documents. In [0, 1]
-- means       mean of the values of each measure over the first cutoff documents that have one, averaged over the
--             queries that have any
-- curve       true for points worth choosing from: no other weights give more of ndcg or gain and at least as much of
--             the other
-- chosen      the point with the largest gain among those whose ndcg is at least (1 − give_up) times the best.
--             Judgments measure relevance only and never favour readability: give_up is the share of relevance it may
--             cost. Of equal gains (to nine places) the one with the highest ndcg is chosen, then the one with the most
--             weight on relevance
--
-- The best weights are best for these queries: report results on another edition.
--
-- combine_tune_statement builds the query; docs/background/internals.md explains it.
-- Raises IR101 no such run, IR102 no such edition, IR108 no such measure, IR201 cutoff below 1, IR202 no measures,
-- relevance among them, steps or give_up out of range, and the errors of combine_parts.
CREATE OR REPLACE FUNCTION public.combine_tune(
    run text, edition text, measures text[] DEFAULT '{textstat_fkgl,citation_percentile}',
    transforms jsonb DEFAULT '{}',
    missing text DEFAULT 'mean', steps integer DEFAULT 10, cutoff integer DEFAULT 10,
    give_up double precision DEFAULT 0.02
)
RETURNS TABLE (weights jsonb, ndcg double precision, gain double precision, means jsonb, curve boolean, chosen boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    key record;
    names text[];
    alike jsonb;
    n integer;
    points double precision := 1;
BEGIN
    SELECT * INTO key FROM evaluation_keys(ARRAY[combine_tune.run], combine_tune.edition, ARRAY[combine_tune.cutoff]);
    PERFORM combine_check(combine_tune.measures);
    n := cardinality(combine_tune.measures) + 1;
    IF 'relevance' = ANY (combine_tune.measures) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'relevance is always part of the combination',
            HINT = 'List only the measures to combine it with.';
    ELSIF (combine_tune.give_up BETWEEN 0 AND 1) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('give_up is %s', coalesce(combine_tune.give_up::text, 'NULL')),
            HINT = 'give_up is a share from 0 to 1: 0.02 allows a loss of 2 % of nDCG.';
    ELSIF combine_tune.steps IS NULL OR combine_tune.steps < 1 OR combine_tune.steps > 1000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('steps is %s', coalesce(combine_tune.steps::text, 'NULL')),
            HINT = 'Use 1 to 1,000: with 10 steps weights are tenths, with 20 twentieths.';
    END IF;
    FOR i IN 1..n - 1 LOOP
        points := points * (combine_tune.steps + i) / i;
    END LOOP;
    IF points > 20000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s with %s give %s', counted(n, 'measure'), counted(combine_tune.steps, 'step'),
                             counted(points, 'point')),
            HINT = 'At most 20,000 points are tried: use fewer measures or steps.';
    END IF;
    SELECT jsonb_object_agg(u.name, 1) INTO alike FROM unnest(combine_tune.measures || 'relevance'::text) u (name);
    names := ARRAY(SELECT p.measure FROM combine_plan(alike, combine_tune.transforms) p);  -- relevance is the first
    RETURN QUERY EXECUTE combine_tune_statement(n)
    USING (SELECT r.id FROM st1_runs r WHERE r.run = combine_tune.run COLLATE "C"), alike, combine_tune.transforms,
          combine_tune.missing, key.query_ids, n, combine_tune.steps, key.edition_id, combine_tune.cutoff,
          combine_tune.give_up, names;
END
$$;
COMMENT ON FUNCTION public.combine_tune(text, text, text[], jsonb, text, integer, integer, double precision) IS
'Loss of relevance (nDCG) and gain in readability and credibility of a stored run, for many weights of the measures';
