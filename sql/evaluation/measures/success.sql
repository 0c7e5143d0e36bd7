-- measure_success: whether a relevant document is among the first k.
--
--   success_k = 1 if one of the first k is relevant, else 0
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_success(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE AS $$
    SELECT NULL, NULL, '({hits} > 0)::integer'
$$;
COMMENT ON FUNCTION measure_success(integer) IS
    'The formula of success: whether a relevant document is among the first k';
