-- measure_recall: recall at k.
--
--   recall_k = relevant documents among the first k, divided by R
--   (van Rijsbergen, Information Retrieval, Butterworths 1979)
CREATE OR REPLACE FUNCTION measure_recall(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, 'coalesce({hits} / {R}, 0)'
$$;
COMMENT ON FUNCTION measure_recall(integer) IS 'Formula of recall: recall at k';
