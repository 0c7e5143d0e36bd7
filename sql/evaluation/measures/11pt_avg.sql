-- measure_11pt_avg: mean of interpolated precision over given shares of recall.
--
--   11pt_avg = mean of iprec_at_recall over the shares
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_11pt_avg(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT documents, gain, concat('(', string_agg(replace(value, '{1}', '{' || i || '}'), ' + ' ORDER BY i),
                                   ') / ', numbers)
      FROM stc.measure_iprec_at_recall(1), generate_series(1, numbers) AS i
     GROUP BY documents, gain
$$;
COMMENT ON FUNCTION measure_11pt_avg(integer) IS
    'Formula of 11pt_avg: mean of interpolated precision over shares of recall';
