-- reads_stored_scores: true if the current role may read the values that judge_runs stored: all of them, or those of
-- visible editions and runs. False for roles that were granted other tables by hand; they compute the same values.
CREATE OR REPLACE FUNCTION reads_stored_scores() RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT bool_and(has_any_column_privilege(to_regclass(t.relation), 'SELECT'))
      FROM unnest('{judged_runs,judged_queries,judged_rankings,judged_scores}'::text[]) AS t (relation)
$$;
COMMENT ON FUNCTION reads_stored_scores() IS 'True if the current role may read the values that judge_runs stored';
