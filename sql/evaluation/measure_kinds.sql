-- measure_kinds: the measures there are, in the order in which trec_eval prints them; docs/evaluation.md has their formulas.
--
-- kind      the name in trec_eval, without parameters; those of ours that it does not have come last
-- takes     what parameters it has: nothing; cutoff (a number of ranks) or share (a share of the relevant documents), a value each;
--           numbers, a list of them for one value; gains, as 1=3,2=9; p, the persistence
-- defaults  what holds where no parameter is given
-- groups    which of trec_eval's sets of measures it is in
-- mean      how values of queries become one: mean, sum, or geometric (the value of a query is then a logarithm)
CREATE OR REPLACE FUNCTION measure_kinds()
RETURNS TABLE (place integer, kind text, takes text, defaults double precision[], groups text[], mean text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
    VALUES (1, 'num_q', 'nothing', NULL::double precision[], '{official,set,all_trec}'::text[], 'sum'),
           (2, 'num_ret', 'nothing', NULL, '{official,set,all_trec}', 'sum'),
           (3, 'num_rel', 'nothing', NULL, '{official,set,all_trec}', 'sum'),
           (4, 'num_rel_ret', 'nothing', NULL, '{official,set,all_trec}', 'sum'),
           (5, 'map', 'nothing', NULL, '{official,all_trec}', 'mean'),
           (6, 'gm_map', 'nothing', NULL, '{official,all_trec}', 'geometric'),
           (7, 'Rprec', 'nothing', NULL, '{official,all_trec}', 'mean'),
           (8, 'bpref', 'nothing', NULL, '{official,all_trec}', 'mean'),
           (9, 'recip_rank', 'nothing', NULL, '{official,all_trec}', 'mean'),
           (10, 'iprec_at_recall', 'share', '{0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1}', '{official,all_trec}', 'mean'),
           (11, 'P', 'cutoff', '{5,10,15,20,30,100,200,500,1000}', '{official,all_trec}', 'mean'),
           (12, 'recall', 'cutoff', '{5,10,15,20,30,100,200,500,1000}', '{all_trec}', 'mean'),
           (13, 'infAP', 'nothing', NULL, '{all_trec}', 'mean'),
           (14, 'gm_bpref', 'nothing', NULL, '{all_trec}', 'geometric'),
           (15, 'Rprec_mult', 'share', '{0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2}', '{all_trec}', 'mean'),
           (16, 'utility', 'numbers', '{1,-1,0,0}', '{set,all_trec}', 'mean'),
           (17, '11pt_avg', 'numbers', '{0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1}', '{all_trec}', 'mean'),
           (18, 'binG', 'nothing', NULL, '{all_trec}', 'mean'),
           (19, 'G', 'gains', NULL, '{all_trec}', 'mean'),
           (20, 'dcg', 'gains', NULL, '{}', 'mean'),
           (21, 'ideal_dcg', 'gains', NULL, '{}', 'mean'),
           (22, 'ndcg', 'gains', NULL, '{all_trec}', 'mean'),
           (23, 'ndcg_rel', 'gains', NULL, '{all_trec}', 'mean'),
           (24, 'Rndcg', 'gains', NULL, '{all_trec}', 'mean'),
           (25, 'ndcg_cut', 'cutoff', '{5,10,15,20,30,100,200,500,1000}', '{all_trec}', 'mean'),
           (26, 'map_cut', 'cutoff', '{5,10,15,20,30,100,200,500,1000}', '{all_trec}', 'mean'),
           (27, 'relative_P', 'cutoff', '{5,10,15,20,30,100,200,500,1000}', '{all_trec}', 'mean'),
           (28, 'success', 'cutoff', '{1,5,10}', '{all_trec}', 'mean'),
           (29, 'set_P', 'nothing', NULL, '{set,all_trec}', 'mean'),
           (30, 'set_relative_P', 'nothing', NULL, '{set,all_trec}', 'mean'),
           (31, 'set_recall', 'nothing', NULL, '{set,all_trec}', 'mean'),
           (32, 'set_map', 'nothing', NULL, '{set,all_trec}', 'mean'),
           (33, 'set_F', 'numbers', '{1}', '{set,all_trec}', 'mean'),
           (34, 'num_nonrel_judged_ret', 'nothing', NULL, '{all_trec}', 'sum'),
           (35, 'yaap', 'nothing', NULL, '{}', 'mean'),
           (36, 'rbp', 'p', '{0.9}', '{all_trec}', 'mean'),
           (37, 'rbp_resid', 'p', '{0.9}', '{all_trec}', 'mean'),
           (38, 'unj', 'cutoff', '{5,10,20}', '{all_trec}', 'mean'),
           (39, 'binary_rbp', 'p', '{0.8}', '{}', 'mean'),
           (40, 'recip_rank_cut', 'cutoff', '{10}', '{}', 'mean'),
           (41, 'ndcg_exp', 'cutoff', '{10}', '{}', 'mean'),
           (42, 'err', 'cutoff', '{20}', '{}', 'mean'),
           (43, 'judged', 'cutoff', '{10}', '{}', 'mean')
$$;
COMMENT ON FUNCTION measure_kinds() IS 'The measures there are: their parameters, the sets they are in, and how a mean is formed';
