-- combine_tune: what a stored run gives up of relevance, and gains in readability and credibility, by each of many
-- weights of its measures; the most relevant first.
--
--   SELECT * FROM combine_tune('hybrid', 'train', '{textstat_fkgl,citation_percentile}') WHERE curve;
--
-- measures    what relevance is combined with (combine_measures); transforms and missing are those of combine_run
-- steps       weights of relevance and of them are the multiples of 1 / steps that sum to 1 (tune_grid)
-- ndcg        nDCG at the cutoff of the run that combine_run would make: the mean over the queries of the edition, as
--             evaluate has it
-- gain        how simple and credible its first documents are: the mean of the measures' transformed values, all
--             measures alike, over the first cutoff documents of a query; its mean over the queries that have
--             documents. In [0, 1].
-- means       the values themselves, each measure over the first cutoff documents that have it, and over the queries
--             that have any
-- curve       whether no other weights give more of one of ndcg and gain, and as much of the other: the points worth
--             choosing from
-- chosen      the point with the largest gain among those whose ndcg is at least (1 − give_up) times the best.
--             Judgments of relevance alone never ask for readability: give_up says how much of relevance it may cost.
--             Of equal gains (to nine places) the one with the most ndcg is chosen, then with the most weight on
--             relevance.
--
-- What is best here is best for these queries: report another edition.
--
-- combine_tune_statement has the query; docs/internals/combine_tune.md explains it.
-- Raises IR101 no such run, IR102 no such edition, IR108 no such measure, IR201 cutoff below 1, IR202 no measures,
-- relevance among them, steps or give_up out of range, and what combine_parts raises.
CREATE OR REPLACE FUNCTION public.combine_tune(
    run text, edition text, measures text[] DEFAULT '{textstat_fkgl,citation_percentile}',
    transforms jsonb DEFAULT '{}',
    missing text DEFAULT 'mean', steps integer DEFAULT 10, cutoff integer DEFAULT 10,
    give_up double precision DEFAULT 0.02
)
RETURNS TABLE (weights jsonb, ndcg double precision, gain double precision, means jsonb, curve boolean, chosen boolean)
LANGUAGE plpgsql STABLE ROWS 100
SET search_path = stc, public, pg_temp
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
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'relevance is weighed in any case',
            HINT = 'Name what it is combined with.';
    ELSIF (combine_tune.give_up BETWEEN 0 AND 1) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s of relevance may be given up', coalesce(combine_tune.give_up::text, 'NULL')),
            HINT = 'It is a share, from 0 to 1: 0.02 is 2 %.';
    ELSIF combine_tune.steps IS NULL OR combine_tune.steps < 1 OR combine_tune.steps > 1000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s steps', coalesce(combine_tune.steps::text, 'NULL')),
            HINT = 'With 10 steps weights are tenths, with 20 twentieths; 1 to 1,000.';
    END IF;
    FOR i IN 1..n - 1 LOOP
        points := points * (combine_tune.steps + i) / i;
    END LOOP;
    IF points > 20000 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s measures by %s steps are %s points', n, combine_tune.steps, points),
            HINT = 'Up to 20,000 are tried: take fewer measures or steps.';
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
'What a stored run gives up of relevance and gains in readability and credibility, by each of many weights';
