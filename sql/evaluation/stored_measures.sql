-- stored_measures: the measures whose values judge_runs stores, by trec_eval's names: the official ones, and what leaderboards show.
CREATE OR REPLACE FUNCTION stored_measures() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{num_q,num_ret,num_rel,num_rel_ret,map,gm_map,Rprec,bpref,recip_rank,iprec_at_recall_0.00,iprec_at_recall_0.10,
             iprec_at_recall_0.20,iprec_at_recall_0.30,iprec_at_recall_0.40,iprec_at_recall_0.50,iprec_at_recall_0.60,
             iprec_at_recall_0.70,iprec_at_recall_0.80,iprec_at_recall_0.90,iprec_at_recall_1.00,P_5,P_10,P_15,P_20,P_30,P_100,
             P_200,P_500,P_1000,ndcg_cut_10,ndcg_cut_20,recall_100,judged_10,ndcg,recall_1000}'::text[]
$$;
COMMENT ON FUNCTION stored_measures() IS 'The measures whose values judge_runs stores, by trec_eval''s names';
