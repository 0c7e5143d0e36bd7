-- judged_measure: parse the name of a measure that judged_value can compute.
--
-- Accepts both naming styles, in any case: nDCG@k (ndcg_cut_k), P@k, R@k (recall_k), RR (recip_rank), AP (map), Bpref.
-- cutoff is NULL if the measure uses the whole ranking.
-- Raises IR108 for any other name, IR201 for a cutoff below 1.
CREATE OR REPLACE FUNCTION judged_measure(measure text, OUT kind text, OUT cutoff integer)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    parts CONSTANT text[] := regexp_match(lower(judged_measure.measure), '^(ndcg_cut|ndcg|p|recall|r)[@_](\d{1,9})$');
BEGIN
    kind := CASE WHEN parts IS NOT NULL THEN
                 CASE parts[1] WHEN 'ndcg_cut' THEN 'ndcg' WHEN 'recall' THEN 'r' ELSE parts[1] END
                 ELSE CASE lower(judged_measure.measure) WHEN 'rr' THEN 'rr' WHEN 'recip_rank' THEN 'rr'
                           WHEN 'mrr' THEN 'rr'
                           WHEN 'ap' THEN 'ap' WHEN 'map' THEN 'ap' WHEN 'bpref' THEN 'bpref' END END;
    cutoff := parts[2]::integer;
    IF kind IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR108', MESSAGE = format(
                'cannot compute %s for changed judgments', coalesce(judged_measure.measure, 'NULL')),
            HINT = 'Use nDCG@k, P@k, R@k, RR, AP or Bpref.';
    ELSIF cutoff < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('%s has a cutoff of %s', judged_measure.measure, cutoff),
            HINT = 'A cutoff is the number of ranks evaluated; it must be 1 or more.';
    END IF;
END
$$;
COMMENT ON FUNCTION judged_measure(text) IS
    'The kind and cutoff of a measure that judged_value can compute; cutoff is NULL if the measure uses the whole '
    'ranking';
