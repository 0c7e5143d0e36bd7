-- measure_set_map: precision times recall of all documents retrieved.
--
--   set_map = set_P · set_recall
--   (NIST, trec_eval)
CREATE OR REPLACE FUNCTION measure_set_map(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT NULL, NULL, 'coalesce({found}::double precision * {found} / (nullif({retrieved}, 0) * {R}), 0)'
$$;
COMMENT ON FUNCTION measure_set_map(integer) IS 'Formula of set_map: precision times recall of all documents retrieved';
