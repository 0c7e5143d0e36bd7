-- measure_bpref: binary preference.
--
--   bpref = sum over the relevant documents retrieved of 1 - min(n, R) / min(N, R), divided by R,
--             where n of the N documents judged not relevant rank above
--   (Buckley & Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004)
CREATE OR REPLACE FUNCTION measure_bpref(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 'unnest({ranks}) WITH ORDINALITY AS u (rank, k)', NULL,
           'coalesce(sum(1 - least(width_bucket(u.rank, {irrelevant}), {R})
        / greatest(least({N}, {R}), 1)) / {R}, 0)'
$$;
COMMENT ON FUNCTION measure_bpref(integer) IS 'Formula of bpref: binary preference';
