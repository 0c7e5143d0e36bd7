-- measure_bpm: BPM, the static Bejeweled Player Model: the mean gain up to the rank at which the user stops.
--
--   BPM@k = sum of gain over the first n / n, n the first rank at which the gain reaches T, at most k
--   At most 1,000 ranks count. The gain of a grade is min(grade, max_rel) / max_rel.
--   (Zhang, Liu, Li, Zhang, Xu & Ma, Evaluating Web Search with a Bejeweled Player Model, SIGIR 2017;
--       equal to cwl_eval)
CREATE OR REPLACE FUNCTION measure_bpm(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '(SELECT y.rank, y.g, coalesce(sum(y.g) OVER (ORDER BY y.rank
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS above FROM {gained} y) u',
           'least(greatest(r.rel, 0), {2}) / {2}',
           'coalesce(sum(u.g) FILTER (WHERE u.rank <= least({k}, 1000) AND u.above < {1}), 0)
        / least({k}, 1000, min(u.rank) FILTER (WHERE u.above + u.g >= {1}))'
$$;
COMMENT ON FUNCTION measure_bpm(integer) IS 'Formula of BPM: the mean gain up to the rank at which the user stops';
