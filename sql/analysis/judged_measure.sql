-- judged_measure: what judged_value computes, told from a measure's name in either family: nDCG@k (ndcg_cut_k), P@k,
-- R@k (recall_k), RR (recip_rank), AP (map), Bpref; case does not count. cutoff is NULL where the whole ranking counts.
-- Raises IR108 for any other name, IR201 for a cutoff below 1.
CREATE OR REPLACE FUNCTION judged_measure(measure text, OUT kind text, OUT cutoff integer)
LANGUAGE plpgsql IMMUTABLE SET search_path = stc, public, pg_temp AS $$
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
                '%s cannot be told from changed judgments', coalesce(judged_measure.measure, 'NULL')),
            HINT = 'The measures that can are nDCG@k, P@k, R@k, RR, AP and Bpref.';
    ELSIF cutoff < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('%s has a cutoff of %s', judged_measure.measure, cutoff),
            HINT = 'A cutoff is how many ranks count, 1 or more.';
    END IF;
END
$$;
COMMENT ON FUNCTION judged_measure(text) IS 'The kind and cutoff of a measure that judged_value computes, by its name';
