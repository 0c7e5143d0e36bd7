-- score_code: fingerprint of the code and parameters that compute stored scores. judge_runs stores it with them, and
-- readers compare it.
--
-- It is an MD5 hash of code and data. It covers the bodies of judge_runs and of every function it calls, the view
-- qrels, and the rows of the stored measures (measure_kinds). When one of them changes, values stored earlier have a
-- different fingerprint: they are ignored until judge_runs replaces them. A new measure that is not stored changes
-- nothing. tests/evaluation/test_score_code.py checks that the list is complete. Call it once per statement:
-- (SELECT score_code()). Its search path is without stc_all, so that the view's text is the same for all roles.
CREATE OR REPLACE FUNCTION score_code() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    SELECT md5(concat(
               string_agg(p.proname || coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), ''
                          ORDER BY p.proname, p.prosrc),
               (SELECT string_agg(concat_ws(';', k.kind, k.takes, k.defaults, k.parameters, k.mean, k.printed,
                                            k.documents, k.gain, k.value), E'\n' ORDER BY k.place)
                  FROM measure_kinds() k WHERE 'stored' = ANY (k.uses)),
               (SELECT pg_get_ruledef(w.oid) FROM pg_rewrite w WHERE w.ev_class = 'public.qrels'::regclass)))
      FROM pg_proc p
     WHERE (p.pronamespace = 'stc'::regnamespace OR p.oid = 'public.judge_runs(text[], text)'::regprocedure)
       AND p.proname = ANY ('{edition_key,evaluation_keys,judge_runs,judged_lists,
                              judged_profiles,measure_fill,measure_name,measure_plan,nearest_name,
                              origin_precedence,parse_measures,run_keys,score_code,score_lists,
                              score_plan,score_share,score_statement,
                              stored_measures,subtopic_groups,subtopic_ideals,subtopic_lists,
                              subtopic_profiles,subtopic_judgments,refuse_other_judgments,
                              sees_all_rows,reads_stored_scores,snapshot_profiles,
                              snapshot_subtopic_profiles,in_snapshot,fading}'::name[])
$$;
COMMENT ON FUNCTION score_code() IS
    'Fingerprint (MD5) of the code that computes stored scores; stored values with a different one are ignored';
