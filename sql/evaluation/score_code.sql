-- score_code: the fingerprint of the code that computes stored scores; judge_runs stores it with them, and readers compare it.
--
-- It is the MD5 of the bodies of judge_runs, of every function that it calls, and of the view qrels. After a formula, a measure or a rule
-- has changed, values stored before have another fingerprint: they are ignored until judge_runs replaces them.
-- tests/evaluation/test_score_code.py checks that the list is complete. Call it once per statement: (SELECT score_code()).
CREATE OR REPLACE FUNCTION score_code() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
    SELECT md5(string_agg(p.proname || coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), '' ORDER BY p.proname, p.oid::regprocedure::text)
               || pg_get_viewdef('public.qrels'::regclass))
      FROM pg_proc p
     WHERE p.pronamespace = 'public'::regnamespace
       AND p.proname = ANY ('{edition_key,evaluation_keys,judge_runs,judged_lists,judged_profiles,measure_kinds,measure_term,nearest_name,
                              origin_precedence,parse_measures,run_keys,score_code,score_plan,score_share,score_statement,
                              stored_measures}')
$$;
COMMENT ON FUNCTION score_code() IS 'The fingerprint of the code that computes stored scores; values with another one are ignored';
