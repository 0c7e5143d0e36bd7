-- stored_measures: measures whose values judge_runs stores, by trec_eval's names: those marked stored in the registry
-- (measure_kinds), at each of their default cutoffs or shares. by_subtopic: those of subtopic judgments, or all others.
CREATE OR REPLACE FUNCTION stored_measures(by_subtopic boolean DEFAULT false) RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT array_agg(measure_name(k.printed, k.takes, d.value) ORDER BY k.place, d.value)
      FROM measure_kinds() k
      LEFT JOIN unnest(CASE WHEN k.takes IN ('cutoff', 'share') THEN k.defaults END) AS d (value) ON true
     WHERE 'stored' = ANY (k.uses) AND ('subtopics' = ANY (k.uses)) = stored_measures.by_subtopic
$$;
COMMENT ON FUNCTION stored_measures(boolean) IS
    'The measures whose values judge_runs stores, by trec_eval''s names, in trec_eval''s order';
