-- measure_insq: INSQ, precision weighted by how likely a user looks at a rank, who wants T relevant documents.
--
--   W(i) = (1 / (i + 2T - 1)²) / sum over ranks j of 1 / (j + 2T - 1)²,   INSQ = sum of gain · W(i)
--   The user goes on from rank i with C(i) = ((i + 2T - 1) / (i + 2T))², and sees at most 1,000 ranks.
--   The gain of a grade is min(grade, max_rel) / max_rel.
--   (Moffat, Scholer & Thomas, Models and Metrics: IR Evaluation as a User Process, ADCS 2012;
--       equal to cwl_eval's INSQ)
CREATE OR REPLACE FUNCTION measure_insq(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE AS $$
    SELECT '{gained} u', 'least(greatest(r.rel, 0), {2}) / {2}',
           'coalesce(sum(u.g / (u.rank + 2 * {1} - 1) ^ 2) FILTER (WHERE u.rank <= 1000), 0)
        / (stc.inverse_squares(2 * {1}) - stc.inverse_squares(2 * {1} + 1000))'
$$;
COMMENT ON FUNCTION measure_insq(integer) IS
'The formula of INSQ: precision weighted by a user who wants T relevant documents';
