-- measure_inst: INST, a variant of INSQ in which each relevant document found makes the user less likely to continue.
--
--   C(i) = ((i + T + T(i) - 1) / (i + T + T(i)))², T(i) = T - gain up to rank i
--   W(i) is proportional to the product of C(j) over j < i, and sums to 1;   INST = sum of gain · W(i)
--   The user views at most 1,000 ranks. The gain of a grade is min(grade, max_rel) / max_rel.
--   (Bailey, Moffat, Scholer & Thomas, User Variability and IR System Evaluation, SIGIR 2015; Moffat, Bailey,
--       Scholer & Thomas, Incorporating User Expectations and Behavior into the Measurement of Search Effectiveness,
--       ACM TOIS 35(3), 2017; equal to cwl_eval)
--
-- T(i) changes only at documents with a gain g, so between them the product of C telescopes. At the rank r of such a
-- document the product is (b / x)², with x = r - 1 + T + T(r - 1) and b = 2T · product of 1 - g / x over those above.
-- At rank i after it, up to the next one, it is (b (1 - g / x) / (i - 1 + T + T(r)))². The sum of the latter over i is
-- a difference of inverse_squares. Products below 1e-87 count as 1e-87, because PostgreSQL raises an error on
-- underflow.
CREATE OR REPLACE FUNCTION measure_inst(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '(SELECT z.g, z.x, z.kept, 2 * {1} * exp(greatest(coalesce(sum(ln(z.kept))
            OVER (ORDER BY z.rank ROWS BETWEEN UNBOUNDED
        PRECEDING AND 1 PRECEDING), 0), -200)) AS b
        FROM (SELECT y.rank, y.g, y.x, greatest(1 - y.g / y.x, 1e-20) AS kept
                FROM (SELECT w.rank, w.g, w.rank - 1 + 2 * {1} + w.g - sum(w.g) OVER (ORDER BY w.rank) AS x
                        FROM {gained} w WHERE w.rank <= 1000) y) z) u',
           'least(greatest(r.rel, 0), {2}) / {2}',
           'coalesce(sum(u.g * (u.b / u.x) ^ 2), 0) / ((2 * {1}) ^ 2 * stc.inverse_squares(2 * {1})
        + coalesce(sum((u.b * u.kept) ^ 2 * stc.inverse_squares(u.x + 1 - u.g)
            - u.b ^ 2 * stc.inverse_squares(u.x + 1)), 0)
        - (2 * {1} * exp(greatest(coalesce(sum(ln(u.kept)), 0), -200))) ^ 2
            * stc.inverse_squares(2 * {1} + 1000 - coalesce(sum(u.g), 0)))'
$$;
COMMENT ON FUNCTION measure_inst(integer) IS
    'Formula of INST: INSQ for a user who is less likely to continue after each relevant document';
