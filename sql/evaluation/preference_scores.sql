-- preference_scores: number and share of preferences between documents that runs satisfy, one row per run, query and
-- measure; unordered.
--
--   prefs_num_prefs_poss      number of preferences
--   prefs_num_prefs_ful       satisfied preferences: the preferred document is retrieved, and the other one after it
--                             or not at all
--   prefs_num_prefs_ful_ret   satisfied preferences with both documents retrieved
--   prefs_simp                satisfied / possible, over all groups together
--   prefs_pair                mean over pairs of documents of the share of groups whose preference is satisfied
--   prefs_avgjg               mean over judgment groups of satisfied / possible
--   prefs_avgjg_Rnonrel       prefs_avgjg with equal numbers of documents of level 0 and of higher levels in each group
--                             (preference_values)
--   …_ret                     over preferences with both documents retrieved
--   …_imp                     over preferences with at least one document retrieved
--
-- A group without preferences counts as 0 in prefs_avgjg. judgments: prefs for preferences as given (stc qrels
-- import-preferences), or qrels_prefs for those implied by the grades of each annotator. Equal to trec_eval 9's -m
-- all_prefs with -R prefs or -R qrels_prefs and -c. If complete is false, queries without a ranking of the run are
-- omitted; otherwise the run satisfies none of their preferences.
--
-- On preferences instead of grades: Carterette, Bennett, Chickering & Dumais, ECIR 2008; on the related Bpref: Buckley
-- & Voorhees, SIGIR 2004; the rules: C. Buckley, trec_eval 9, form_prefs_counts.c.
--
-- runs: run names; an empty array means all.
-- Raises IR101, IR102 (evaluation_keys), IR202 invalid value of judgments, IR405 the edition has no preferences.
CREATE OR REPLACE FUNCTION public.preference_scores(
    runs text[], edition text, judgments text DEFAULT 'prefs', complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, measure text, value double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    key record;
    query_ids integer[];
    wanted record;
BEGIN
    SELECT * INTO key FROM evaluation_keys(preference_scores.runs, preference_scores.edition, '{1}');
    IF preference_scores.judgments IS NULL OR preference_scores.judgments NOT IN ('prefs', 'qrels_prefs') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a form of preferences', preference_scores.judgments),
            HINT = 'Use prefs for preferences as given, or qrels_prefs for those implied by graded judgments.';
    END IF;
    query_ids := CASE preference_scores.judgments WHEN 'qrels_prefs' THEN key.query_ids ELSE ARRAY(
        SELECT q.id FROM st1_queries q WHERE EXISTS (
               SELECT FROM qrels_preferences p WHERE p.edition = key.edition_id AND p.query = q.id)) END;
    IF cardinality(query_ids) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('edition %s has no preferences', preference_scores.edition),
            HINT = 'Add preferences with ''stc load --as preferences'', or derive them from grades: qrels_prefs.';
    END IF;
    FOR wanted IN SELECT q.id, q.query FROM st1_queries q WHERE q.id = ANY (query_ids) LOOP
        RETURN QUERY
        SELECT n.run, wanted.query, m.measure, m.value
          FROM preference_values(key.edition_id, wanted.id, key.run_ids, preference_scores.judgments) v
          JOIN st1_runs n ON n.id = v.run
         CROSS JOIN LATERAL (VALUES
               ('prefs_num_prefs_poss', v.poss), ('prefs_num_prefs_ful', v.ful), ('prefs_num_prefs_ful_ret', v.ful_ret),
               ('prefs_simp', v.simp), ('prefs_pair', v.pair), ('prefs_avgjg', v.avgjg),
               ('prefs_avgjg_Rnonrel', v.rnonrel),
               ('prefs_simp_ret', v.simp_ret), ('prefs_pair_ret', v.pair_ret), ('prefs_avgjg_ret', v.avgjg_ret),
               ('prefs_avgjg_Rnonrel_ret', v.rnonrel_ret), ('prefs_simp_imp', v.simp_imp),
               ('prefs_pair_imp', v.pair_imp),
               ('prefs_avgjg_imp', v.avgjg_imp)) AS m (measure, value)
         WHERE preference_scores.complete OR EXISTS (SELECT FROM st1_rankings k
                                                      WHERE k.run = v.run AND k.query = wanted.id);
    END LOOP;
END
$$;
COMMENT ON FUNCTION public.preference_scores(text[], text, text, boolean) IS
    'Number and share of preferences between documents that runs satisfy, per run, query and measure, as trec_eval '
    '-m all_prefs';
