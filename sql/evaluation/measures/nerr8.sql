-- measure_nerr8: nearly ERR: the user stops with the probability of the gain, or at rank k.
--
--   C(i) = 1 - gain, 0 from rank k on
--   W(i) is proportional to the product of C(j) over j < i, and sums to 1
--   NERR8 = sum of gain · W(i)
--   At most 1,000 ranks count. The gain of a grade is min(grade, max_rel) / max_rel.
--   (Azzopardi, Mackenzie & Moffat, ICTIR 2021, equation 8: ERR is not C/W/L: Exploring the Relationship Between
--       Expected Reciprocal Rank and Other Metrics; equal to cwl_eval)
--
-- The product is D(i) times the product of 1 - gain above. So the sum of all products is the sum of D(i) less, for each
-- document with a gain, the part of the later D(i) that it removes. Products of 1 - gain below 1e-34 count as 1e-34,
-- because PostgreSQL raises an error on underflow.
CREATE OR REPLACE FUNCTION measure_nerr8(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '(SELECT y.*, exp(greatest(coalesce(sum(ln(greatest(1 - y.g, 1e-20))) OVER (ORDER BY y.rank
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0), -80)) AS unsatisfied
        FROM {gained} y WHERE y.rank <= 1000) u',
           'least(greatest(r.rel, 0), {1}) / {1}',
           'coalesce(sum(u.g * u.unsatisfied) FILTER (WHERE u.rank <= {k}), 0) / (least({k}, 1000)
        - coalesce(sum(u.g * u.unsatisfied * (least({k}, 1000) - u.rank)) FILTER (WHERE u.rank <= {k}), 0))'
$$;
COMMENT ON FUNCTION measure_nerr8(integer) IS 'Formula of NERR8: nearly ERR, stopping by gain or at rank k';
