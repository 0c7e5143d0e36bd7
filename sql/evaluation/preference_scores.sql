-- preference_scores: how many of the preferences between documents runs fulfil, one row per run, query and measure; in
-- no order.
--
--   prefs_num_prefs_poss      preferences there are
--   prefs_num_prefs_ful       of them fulfilled: the preferred document is retrieved, the other one after it or not at
--                             all
--   prefs_num_prefs_ful_ret   of them with both documents retrieved
--   prefs_simp                fulfilled / possible, over all groups together
--   prefs_pair                mean over pairs of documents of the share of groups with a preference on the pair that it
--                             fulfils
--   prefs_avgjg               mean over judgment groups of fulfilled / possible
--   prefs_avgjg_Rnonrel       the same with as many documents of level 0 as of higher levels in each group
--                             (preference_values)
--   …_ret                     over preferences with both documents retrieved
--   …_imp                     over preferences with at least one retrieved
--
-- A group without a preference counts in prefs_avgjg, as 0. judgments: prefs, preferences as they were given (stc qrels
-- import-preferences), or qrels_prefs, those implied by the grades of each annotator. Equal to trec_eval 9's -m
-- all_prefs -R prefs and -R qrels_prefs, under -c unless complete is false: then a query the run has nothing for, of
-- which it fulfils none, is left out. Preferences in place of grades: Carterette, Bennett, Chickering & Dumais, ECIR
-- 2008; their kin Bpref: Buckley & Voorhees, SIGIR 2004; the rules themselves: C. Buckley, trec_eval 9,
-- form_prefs_counts.c.
--
-- runs: their names, all if none is named. Raises IR101, IR102 (evaluation_keys), IR202 for another word than these
-- two, IR405 for an edition that has none.
CREATE OR REPLACE FUNCTION public.preference_scores(
    runs text[], edition text, judgments text DEFAULT 'prefs', complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, measure text, value double precision)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    key record;
    query_ids integer[];
    wanted record;
BEGIN
    SELECT * INTO key FROM evaluation_keys(preference_scores.runs, preference_scores.edition, '{1}');
    IF preference_scores.judgments IS NULL OR preference_scores.judgments NOT IN ('prefs', 'qrels_prefs') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is no form of preferences', preference_scores.judgments),
            HINT = 'prefs are those that were given, qrels_prefs those implied by graded judgments.';
    END IF;
    query_ids := CASE preference_scores.judgments WHEN 'qrels_prefs' THEN key.query_ids ELSE ARRAY(
        SELECT q.id FROM st1_queries q WHERE EXISTS (
               SELECT FROM qrels_preferences p WHERE p.edition = key.edition_id AND p.query = q.id)) END;
    IF cardinality(query_ids) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('the edition %s has no preferences', preference_scores.edition),
            HINT = '''stc qrels import-preferences'' adds some; graded judgments imply some: qrels_prefs.';
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
    'How many preferences between documents runs fulfil, per run and query, as trec_eval -m all_prefs';
