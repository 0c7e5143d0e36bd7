-- measure_set_recall: recall of all documents retrieved.
--
--   set_recall = relevant retrieved / R
--   (van Rijsbergen, Information Retrieval, Butterworths 1979)
CREATE OR REPLACE FUNCTION measure_set_recall(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, 'coalesce({found} / {R}, 0)'
$$;
COMMENT ON FUNCTION measure_set_recall(integer) IS 'Formula of set_recall: recall of all documents retrieved';
