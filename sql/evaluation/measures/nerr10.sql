-- measure_nerr10: nearly ERR: the user stops with the probability of the gain, and loses patience as in RBP.
--
--   C(i) = p · (1 - gain)
--   W(i) is proportional to the product of C(j) over j < i, and sums to 1
--   NERR10 = sum of gain · W(i)
--   The user views at most 1,000 ranks. The gain of a grade is min(grade, max_rel) / max_rel.
--   (Azzopardi, Mackenzie & Moffat, ICTIR 2021, equation 10: ERR is not C/W/L: Exploring the Relationship Between
--       Expected Reciprocal Rank and Other Metrics; equal to cwl_eval)
--
-- The product is D(i) times the product of 1 - gain above. So the sum of all products is the sum of D(i) less, for each
-- document with a gain, the part of the later D(i) that it removes. Products of 1 - gain below 1e-34 count as 1e-34,
-- because PostgreSQL raises an error on underflow.
CREATE OR REPLACE FUNCTION measure_nerr10(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '(SELECT y.*, exp(greatest(coalesce(sum(ln(greatest(1 - y.g, 1e-20))) OVER (ORDER BY y.rank
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0), -80)) AS unsatisfied
        FROM {gained} y WHERE y.rank <= 1000) u',
           'least(greatest(r.rel, 0), {2}) / {2}',
           'coalesce(sum(u.g * u.unsatisfied * {decay}), 0)
        / (coalesce((1 - CASE WHEN 1000 * ln(nullif({1}, 0)) > -600 THEN {1} ^ 1000 ELSE 0 END)
            / nullif(1 - {1}, 0), 1000)
        - coalesce(sum(u.g * u.unsatisfied * coalesce(({1} * {decay}
            - CASE WHEN 1000 * ln(nullif({1}, 0)) > -600 THEN {1} ^ 1000 ELSE 0 END)
            / nullif(1 - {1}, 0), 1000 - u.rank)), 0))'
$$;
COMMENT ON FUNCTION measure_nerr10(integer) IS 'Formula of NERR10: nearly ERR with the patience of RBP';
