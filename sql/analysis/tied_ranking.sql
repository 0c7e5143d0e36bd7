-- tied_ranking: rank runs by one measure with intervals of ranks and groups of runs that do not differ significantly;
-- best first.
--
--   rank        1 + number of runs with a higher mean
--   rank_low    1 + number of runs that are significantly better
--   rank_high   number of runs minus the number that are significantly worse
--               (Mogstad, Romano, Shaikh & Wilhelm, Review of Economic Studies 91, 2024: intervals of ranks from
--               simultaneous tests of all pairs, valid with ties)
--   tie_group   A has the best run and every run that is not significantly worse than it, B the same for the others, …;
--               after Z come AA, AB, …
--
-- Significant is p_holm < alpha by compare_runs: the paired t-test of all pairs with Holm's correction. The intervals
-- of all runs hold together with confidence 1 - alpha. stc evaluation leaderboard --ties tests all pairs by a bootstrap
-- instead, which also uses the correlations of the pairs. A query without documents counts as 0. With fewer than two
-- queries no runs are significantly different. A mean is rounded to twelve decimals, so that rounding errors count as
-- ties. Raises IR101, IR102, IR103, IR108, IR202 (paired_scores), and IR202 for alpha outside 0 to 1.
CREATE OR REPLACE FUNCTION public.tied_ranking(
    edition text, measure text DEFAULT 'nDCG@10', runs text[] DEFAULT '{}', alpha double precision DEFAULT 0.05,
    query_set text DEFAULT 'all')
RETURNS TABLE (run text, mean double precision, rank integer, rank_low integer, rank_high integer, tie_group text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    names text[];
    means double precision[];
    losers jsonb;  -- by run: the runs that are significantly worse
    groups text[];
    letter integer := -1;
    best integer;
BEGIN
    IF tied_ranking.alpha IS NULL OR NOT tied_ranking.alpha > 0 OR NOT tied_ranking.alpha < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('alpha is %s', coalesce(tied_ranking.alpha::text, 'NULL')),
            HINT = 'It must lie between 0 and 1; .05 is usual.';
    END IF;
    SELECT array_agg(g.run ORDER BY g.mean DESC, g.run COLLATE "C"),
           array_agg(g.mean ORDER BY g.mean DESC, g.run COLLATE "C")
      INTO names, means
      FROM (SELECT s.run, round(avg(s.value)::numeric, 12)::double precision AS mean
              FROM score_grid(tied_ranking.runs, tied_ranking.edition, tied_ranking.measure,
                              query_set => tied_ranking.query_set) s
             GROUP BY s.run) g;
    SELECT coalesce(jsonb_object_agg(w.winner, w.beaten), '{}') INTO losers
      FROM (SELECT CASE WHEN c.difference > 0 THEN c.run ELSE c.against END AS winner,
                   jsonb_agg(CASE WHEN c.difference > 0 THEN c.against ELSE c.run END) AS beaten
              FROM compare_runs(tied_ranking.edition, tied_ranking.measure, tied_ranking.runs,
                                query_set => tied_ranking.query_set) c
             WHERE c.p_holm < tied_ranking.alpha
             GROUP BY 1) w;
    groups := array_fill(NULL::text, ARRAY[coalesce(cardinality(names), 0)]);
    LOOP
        best := array_position(groups, NULL);
        EXIT WHEN best IS NULL;
        letter := letter + 1;
        FOR other IN best .. cardinality(names) LOOP
            IF groups[other] IS NULL AND NOT coalesce(losers -> names[best] ? names[other], false) THEN
                groups[other] := CASE WHEN letter < 26 THEN '' ELSE chr(64 + letter / 26) END
                                 || chr(65 + letter % 26);
            END IF;
        END LOOP;
    END LOOP;
    RETURN QUERY
    SELECT n.run, n.mean, (1 + count(*) FILTER (WHERE o.mean > n.mean))::integer,
           (1 + count(*) FILTER (WHERE losers -> o.run ? n.run))::integer,
           cardinality(names) - coalesce(jsonb_array_length(losers -> n.run), 0), groups[n.place]
      FROM unnest(names, means) WITH ORDINALITY n (run, mean, place)
     CROSS JOIN unnest(names, means) o (run, mean)
     GROUP BY n.place, n.run, n.mean
     ORDER BY n.place;
END
$$;
COMMENT ON FUNCTION public.tied_ranking(text, text, text[], double precision, text) IS
    'Runs by one measure with intervals of ranks and groups of runs that do not differ significantly (paired t-tests '
    'of all pairs, corrected by Holm); best first';
