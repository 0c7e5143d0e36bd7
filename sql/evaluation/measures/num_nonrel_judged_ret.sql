-- measure_num_nonrel_judged_ret: documents retrieved that are judged not relevant.
--
--   num_nonrel_judged_ret = judged retrieved - relevant retrieved
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_num_nonrel_judged_ret(numbers integer)
    RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, '{judged} - {found}'
$$;
COMMENT ON FUNCTION measure_num_nonrel_judged_ret(integer) IS
    'Formula of num_nonrel_judged_ret: number of retrieved documents that are judged not relevant';
