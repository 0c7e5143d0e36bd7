-- tied_ranking: rank runs by one measure with intervals of ranks and groups of runs that do not differ significantly;
-- best first.
--
--   low, high   Student's interval of the mean over queries, confidence 1 - alpha
--   rank        1 + number of runs with a higher mean
--   rank_low    1 + number of runs that are significantly better
--   rank_high   number of runs minus the number that are significantly worse
--               (Mogstad, Romano, Shaikh & Wilhelm, Review of Economic Studies 91, 2024: intervals of ranks from
--               simultaneous tests of all pairs, valid with ties)
--   tie_group   A has the best run and every run that is not significantly worse than it, B the same for the others, …;
--               after Z come AA, AB, …
--
-- Significant is p < alpha by tied_pairs, which tests all pairs together by a bootstrap over queries. The intervals of
-- the ranks of all runs hold together with confidence 1 - alpha. Equal to stc evaluation leaderboard --ties with the
-- same resamples and seed. A mean is rounded to twelve decimals, so that rounding errors count as ties. Arguments, time
-- and errors are those of tied_pairs.
CREATE OR REPLACE FUNCTION public.tied_ranking(
    edition text, measure text DEFAULT 'nDCG@10', runs text[] DEFAULT '{}', alpha double precision DEFAULT 0.05,
    query_set text DEFAULT 'all', resamples integer DEFAULT 10000, seed integer DEFAULT 0)
RETURNS TABLE (run text, mean double precision, low double precision, high double precision, rank integer,
               rank_low integer, rank_high integer, tie_group text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    names text[];
    means double precision[];
    errors double precision[];  -- standard errors of the means
    queries integer;
    losers jsonb;  -- by run: the runs that are significantly worse
    groups text[];
    letter integer := -1;
    best integer;
    critical double precision;
BEGIN
    SELECT coalesce(jsonb_object_agg(w.run, w.beaten), '{}') INTO losers
      FROM (SELECT t.run, jsonb_agg(t.against) AS beaten
              FROM tied_pairs(tied_ranking.edition, tied_ranking.measure, tied_ranking.runs, tied_ranking.alpha,
                              tied_ranking.query_set, tied_ranking.resamples, tied_ranking.seed) t
             WHERE t.p < tied_ranking.alpha AND t.difference > 0
             GROUP BY t.run) w;
    SELECT array_agg(g.run ORDER BY g.mean DESC, g.run COLLATE "C"),
           array_agg(g.mean ORDER BY g.mean DESC, g.run COLLATE "C"),
           array_agg(g.error ORDER BY g.mean DESC, g.run COLLATE "C"), max(g.queries)
      INTO names, means, errors, queries
      FROM (SELECT s.run, round(avg(s.value)::numeric, 12)::double precision AS mean, count(*)::integer AS queries,
                   stddev_samp(s.value) / sqrt(count(*)::double precision) AS error
              FROM score_grid(tied_ranking.runs, tied_ranking.edition, tied_ranking.measure,
                              query_set => tied_ranking.query_set) s
             GROUP BY s.run) g;
    critical := student_t_quantile(tied_ranking.alpha, queries - 1);
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
    SELECT n.run, n.mean, n.mean - critical * n.error, n.mean + critical * n.error,
           (1 + count(*) FILTER (WHERE o.mean > n.mean))::integer,
           (1 + count(*) FILTER (WHERE losers -> o.run ? n.run))::integer,
           cardinality(names) - coalesce(jsonb_array_length(losers -> n.run), 0), groups[n.place]
      FROM unnest(names, means, errors) WITH ORDINALITY n (run, mean, error, place)
     CROSS JOIN unnest(names, means) o (run, mean)
     GROUP BY n.place, n.run, n.mean, n.error
     ORDER BY n.place;
END
$$;
COMMENT ON FUNCTION public.tied_ranking(text, text, text[], double precision, text, integer, integer) IS
    'Runs by one measure with intervals of ranks and groups of runs that do not differ significantly (bootstrap over '
    'queries, all pairs tested together); best first';
