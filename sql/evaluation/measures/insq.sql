-- measure_insq: INSQ, precision weighted by the probability that a user who needs T relevant documents views a rank.
--
--   W(i) = (1 / (i + 2T - 1)²) / sum over ranks j of 1 / (j + 2T - 1)²,   INSQ = sum of gain · W(i)
--   The user continues from rank i with probability C(i) = ((i + 2T - 1) / (i + 2T))², and views at most 1,000 ranks.
--   The gain of a grade is min(grade, max_rel) / max_rel.
--   (Moffat, Scholer & Thomas, Models and Metrics: IR Evaluation as a User Process, ADCS 2012;
--       equal to cwl_eval's INSQ)
CREATE OR REPLACE FUNCTION measure_insq(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{gained} u', 'least(greatest(r.rel, 0), {2}) / {2}',
           'coalesce(sum(u.g / (u.rank + 2 * {1} - 1) ^ 2) FILTER (WHERE u.rank <= 1000), 0)
        / (stc.inverse_squares(2 * {1}) - stc.inverse_squares(2 * {1} + 1000))'
$$;
COMMENT ON FUNCTION measure_insq(integer) IS
    'Formula of INSQ: precision weighted for a user who needs T relevant documents';
