-- ask_measures: measures that a score request may report, with the values score_statement needs to compute them. One
-- row per value.
--
-- Permitted are the kinds that the registry (measure_kinds) marks with requests, with a cutoff of at least 10 if they
-- have a cutoff. Each is a mean in [0, 1]. Counts, custom gains (ndcg.1=0,2=9), other relevance levels and Judged@k are
-- refused: they single out a grade, or show which documents are judged. So are measures that organisers added.
-- Raises IR108 no such measure, IR202 no measure, more than two, or one that is not permitted.
CREATE OR REPLACE FUNCTION ask_measures(measures text[]) RETURNS TABLE (measure text, kind text, cutoff integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    found_measures integer;
    bad text;
BEGIN
    SELECT count(*), min(p.measure) FILTER (
               WHERE ('requests' = ANY (k.uses) AND (k.takes <> 'cutoff' OR p.cutoff >= 10)) IS NOT TRUE OR p.level <> 1
                  OR p.numbers IS NOT NULL)
      INTO found_measures, bad
      FROM parse_measures(ask_measures.measures) p LEFT JOIN measure_kinds() k USING (kind);
    IF bad IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('measure %s is not permitted for score requests', bad),
            HINT = (SELECT format('Permitted: %s; %s with K of at least 10.',
                                  string_agg(k.kind, ', ' ORDER BY k.place) FILTER (WHERE k.takes <> 'cutoff'),
                                  string_agg(k.printed || '_K', ', ' ORDER BY k.place) FILTER (
                                          WHERE k.takes = 'cutoff'))
                      FROM measure_kinds() k WHERE 'requests' = ANY (k.uses));
    ELSIF found_measures NOT BETWEEN 1 AND 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'got ' || counted(found_measures, 'measure'),
            HINT = 'Name 1 or 2: each measure reveals more about the hidden judgments.';
    END IF;
    RETURN QUERY SELECT p.measure, p.kind, coalesce(p.cutoff, 0) FROM parse_measures(ask_measures.measures) p
        ORDER BY p.place;
END
$$;
COMMENT ON FUNCTION ask_measures(text[]) IS
    'The measures that score requests may report: means that no single document dominates; one row per value';
