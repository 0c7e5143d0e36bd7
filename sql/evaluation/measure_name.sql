-- measure_name: name that trec_eval prints for a measure at a cutoff or share of recall: P_10, iprec_at_recall_0.10,
-- map.
--
-- printed and takes as in measure_kinds.
CREATE OR REPLACE FUNCTION measure_name(printed text, takes text, value double precision) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE takes WHEN 'share' THEN printed || '_' || to_char(round(value::numeric, 2), 'FM999999990.00')
                      WHEN 'cutoff' THEN printed || '_' || value ELSE printed END
$$;
COMMENT ON FUNCTION measure_name(text, text, double precision) IS
    'The name that trec_eval prints for a measure at a cutoff or share of recall, such as P_10';
