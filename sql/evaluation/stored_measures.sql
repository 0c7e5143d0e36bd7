-- stored_measures: the measures whose values judge_runs stores, by trec_eval's names: all of trec_eval's, and Judged@10.
CREATE OR REPLACE FUNCTION stored_measures() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{num_q,num_ret,num_rel,num_rel_ret,map,gm_map,Rprec,bpref,recip_rank,iprec_at_recall_0.00,iprec_at_recall_0.10,
             iprec_at_recall_0.20,iprec_at_recall_0.30,iprec_at_recall_0.40,iprec_at_recall_0.50,iprec_at_recall_0.60,
             iprec_at_recall_0.70,iprec_at_recall_0.80,iprec_at_recall_0.90,iprec_at_recall_1.00,P_5,P_10,P_15,P_20,P_30,P_100,
             P_200,P_500,P_1000,recall_5,recall_10,recall_15,recall_20,recall_30,recall_100,recall_200,recall_500,recall_1000,
             infAP,gm_bpref,Rprec_mult_0.20,Rprec_mult_0.40,Rprec_mult_0.60,Rprec_mult_0.80,Rprec_mult_1.00,Rprec_mult_1.20,
             Rprec_mult_1.40,Rprec_mult_1.60,Rprec_mult_1.80,Rprec_mult_2.00,utility,11pt_avg,binG,G,ndcg,ndcg_rel,Rndcg,
             ndcg_cut_5,ndcg_cut_10,ndcg_cut_15,ndcg_cut_20,ndcg_cut_30,ndcg_cut_100,ndcg_cut_200,ndcg_cut_500,ndcg_cut_1000,
             map_cut_5,map_cut_10,map_cut_15,map_cut_20,map_cut_30,map_cut_100,map_cut_200,map_cut_500,map_cut_1000,relative_P_5,
             relative_P_10,relative_P_15,relative_P_20,relative_P_30,relative_P_100,relative_P_200,relative_P_500,relative_P_1000,
             success_1,success_5,success_10,set_P,set_relative_P,set_recall,set_map,set_F,num_nonrel_judged_ret,rbp,rbp_resid,
             unj_5,unj_10,unj_20,judged_10}'::text[]
$$;
COMMENT ON FUNCTION stored_measures() IS 'The measures whose values judge_runs stores, by trec_eval''s names';
