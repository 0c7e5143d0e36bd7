-- measure_kinds: registry of all measures, one row each.
--
-- It is the only list of measures: SQL, Python (stcollection/evaluation/kinds.py reads this file), the commands, the
-- page and docs/reference/measures.md are derived from it.
--
-- To add a measure, write its formula in measures/<kind>.sql (measure_map is an example), its row here, and a test.
--
--   place       order in which trec_eval prints them
--   kind        name in trec_eval without parameters; measures that trec_eval does not have come last. The formula is
--               the function measure_<kind>, in lower case
--   ir          name in ir_measures, NULL if it has none; in brackets the parameter that selects this kind. Kinds may
--               share a name: nDCG is ndcg, nDCG@10 is ndcg_cut
--   also        other accepted names, in lower case
--   takes       parameters in trec_eval's syntax: nothing; cutoff (a number of ranks) or share (a share of the
--               relevant documents), one value each; numbers, a list for one value; gains, as 1=3,2=9; p, one number,
--               with or without a cutoff. The formula of a measure with a cutoff must read no document below it:
--               score_statement leaves those out
--   defaults    used if no cutoff, share or number is given; NULL if there are none, or if parameters contains them
--   parameters  named numbers, as name=default[least,largest]: integers if the default is an integer. name²: the
--               computation uses its square. name!: always written in output, since ir_measures has no default for it
--   groups      trec_eval's sets that include the measure; NULL if trec_eval does not have it
--   mean        aggregation over queries: mean, sum, or geometric (the value of a query is then a logarithm)
--   range       possible values for a query, with default parameters
--   uses        stored: judge_runs stores its values; requests: score requests on hidden editions may report it
--               (ask_measures); subtopics: it is computed from subtopic judgments (qrels_subtopics)
--   definition  value for one query; R is the number of relevant documents, r a rank, k a cutoff
--   reference   short citation; the first row that cites it has the title after a colon
--   printed     name before a cutoff in output: the kind; for a kind x_cut that trec_eval does not have, x
--
-- There is no SET search_path, so that PostgreSQL inlines the function and evaluates only the columns that are used.
CREATE OR REPLACE FUNCTION measure_kinds()
RETURNS TABLE (
    place integer, kind text, ir text, also text[], takes text, defaults double precision[], parameters text,
    groups text[], mean text,
    range numrange, uses text[], definition text, reference text, printed text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT v.*, CASE WHEN v.groups IS NULL THEN regexp_replace(v.kind, '_cut$', '') ELSE v.kind END
      FROM (VALUES
        (1, 'num_q', 'NumQ'::text, NULL::text[], 'nothing', NULL::double precision[], NULL::text,
         '{official,set,all_trec}'::text[], 'sum', '[1,1]'::numrange, '{stored}'::text[],
         '1 per query, so that the sum is the number of queries',
         'trec_eval: NIST, trec_eval, github.com/usnistgov/trec_eval'),
        (2, 'num_ret', 'NumRet', NULL, 'nothing', NULL, NULL, '{official,set,all_trec}', 'sum', '[0,]', '{stored}',
         'documents retrieved', 'trec_eval'),
        (3, 'num_rel', 'NumRel', NULL, 'nothing', NULL, NULL, '{official,set,all_trec}', 'sum', '[0,]', '{stored}',
         'R, the documents judged relevant', 'trec_eval'),
        (4, 'num_rel_ret', 'NumRet(rel=…)', NULL, 'nothing', NULL, NULL,
         '{official,set,all_trec}', 'sum', '[0,]', '{stored}',
         'relevant documents retrieved; NumRet(rel=1)', 'trec_eval'),
        (5, 'map', 'AP', NULL, 'nothing', NULL, NULL, '{official,all_trec}', 'mean', '[0,1]', '{stored,requests}',
         'sum of the precision at each relevant document retrieved, divided by R',
         'Buckley & Voorhees 2005: Retrieval System Evaluation, in TREC: Experiment and Evaluation in IR, MIT Press '
         '2005'),
        (6, 'gm_map', NULL, NULL, 'nothing', NULL, NULL, '{official,all_trec}', 'geometric', '[,0]', '{stored}',
         'ln of AP, at least ln 0.00001', 'Robertson 2006: On GMAP: and Other Transformations, CIKM 2006'),
        (7, 'Rprec', 'Rprec', NULL, 'nothing', NULL, NULL, '{official,all_trec}', 'mean', '[0,1]', '{stored,requests}',
         'precision after R documents', 'Buckley & Voorhees 2005'),
        (8, 'bpref', 'Bpref', NULL, 'nothing', NULL, NULL, '{official,all_trec}', 'mean', '[0,1]', '{stored,requests}',
         'sum over relevant documents of 1 - min(n, R) / min(N, R), divided by R; n of the N documents judged not '
         'relevant rank above',
         'Buckley & Voorhees 2004: Retrieval Evaluation with Incomplete Information, SIGIR 2004'),
        (9, 'recip_rank', 'RR', '{mrr}', 'nothing', NULL, NULL,
         '{official,all_trec}', 'mean', '[0,1]', '{stored,requests}',
         '1 / rank of the first relevant document',
         'Voorhees 1999: The TREC-8 Question Answering Track Report, TREC 1999'),
        (10, 'iprec_at_recall', 'IPrec', NULL, 'share', '{0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1}', NULL,
         '{official,all_trec}', 'mean', '[0,1]', '{stored}',
         'highest precision from the rank on at which recall reaches the share', 'trec_eval'),
        (11, 'P', 'P', '{precision}', 'cutoff', '{5,10,15,20,30,100,200,500,1000}', NULL,
         '{official,all_trec}', 'mean', '[0,1]', '{stored,requests}',
         'relevant documents among the first k, divided by k',
         'van Rijsbergen 1979: Information Retrieval, Butterworths 1979'),
        (12, 'recall', 'R', NULL, 'cutoff', '{5,10,15,20,30,100,200,500,1000}', NULL,
         '{all_trec}', 'mean', '[0,1]', '{stored,requests}',
         'relevant documents among the first k, divided by R', 'van Rijsbergen 1979'),
        (13, 'infAP', 'infAP', NULL, 'nothing', NULL, NULL, '{all_trec}', 'mean', '[0,1]', '{stored}',
         'AP estimated from a judged sample of the pool; negative grades mean pooled, not judged',
         'Yilmaz & Aslam 2006: Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM 2006'),
        (14, 'gm_bpref', NULL, NULL, 'nothing', NULL, NULL, '{all_trec}', 'geometric', '[,0]', '{stored}',
         'ln of bpref, at least ln 0.00001', 'Robertson 2006'),
        (15, 'Rprec_mult', NULL, NULL, 'share', '{0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2}', NULL,
         '{all_trec}', 'mean', '[0,1]', '{stored}',
         'precision at rank m · R for a multiple m', 'trec_eval'),
        (16, 'utility', NULL, NULL, 'numbers', NULL, 'a=1[,] b=-1[,] c=0[,] d=0[,]',
         '{set,all_trec}', 'mean', '[,]', '{stored}',
         'a · relevant retrieved + b · not relevant retrieved + c · relevant not retrieved + d · not relevant not '
         'retrieved',
         'trec_eval'),
        (17, '11pt_avg', NULL, NULL, 'numbers', '{0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1}', NULL,
         '{all_trec}', 'mean', '[0,1]', '{stored}',
         'mean of iprec_at_recall over the given shares', 'trec_eval'),
        (18, 'binG', NULL, NULL, 'nothing', NULL, NULL, '{all_trec}', 'mean', '[0,1]', '{stored}',
         'sum over relevant documents of 1 / log2(2 + not relevant documents above), divided by R', 'trec_eval'),
        (19, 'G', NULL, NULL, 'gains', NULL, NULL, '{all_trec}', 'mean', '[0,1]', '{stored}',
         'sum of gain / log2(2 + ideal cost so far - gain so far), divided by the sum of all gains', 'trec_eval'),
        (20, 'dcg', NULL, NULL, 'gains', NULL, NULL, '{}', 'mean', '[0,]', '{}',
         'sum of gain / log2(r + 1)',
         'Järvelin & Kekäläinen 2002: Cumulated Gain-Based Evaluation of IR Techniques, ACM TOIS 20(4), 2002'),
        (21, 'ideal_dcg', NULL, NULL, 'gains', NULL, NULL, '{}', 'mean', '[0,]', '{}',
         'dcg of the judged documents, highest gain first', 'Järvelin & Kekäläinen 2002'),
        (22, 'ndcg', 'nDCG', NULL, 'gains', NULL, NULL, '{all_trec}', 'mean', '[0,1]', '{stored,requests}',
         'dcg / ideal_dcg; the gain is the grade', 'Järvelin & Kekäläinen 2002'),
        (23, 'ndcg_rel', NULL, NULL, 'gains', NULL, NULL, '{all_trec}', 'mean', '[0,1]', '{stored}',
         'mean of ndcg at the ranks of the relevant documents', 'trec_eval'),
        (24, 'Rndcg', NULL, NULL, 'gains', NULL, NULL, '{all_trec}', 'mean', '[0,1]', '{stored}',
         'mean of ndcg at the ranks where the ideal gain decreases, and at the end', 'trec_eval'),
        (25, 'ndcg_cut', 'nDCG', NULL, 'cutoff', '{5,10,15,20,30,100,200,500,1000}', NULL,
         '{all_trec}', 'mean', '[0,1]', '{stored,requests}',
         'dcg / ideal_dcg of the first k', 'Järvelin & Kekäläinen 2002'),
        (26, 'map_cut', 'AP', NULL, 'cutoff', '{5,10,15,20,30,100,200,500,1000}', NULL,
         '{all_trec}', 'mean', '[0,1]', '{stored,requests}',
         'AP of the first k, divided by R', 'Buckley & Voorhees 2005'),
        (27, 'relative_P', NULL, NULL, 'cutoff', '{5,10,15,20,30,100,200,500,1000}', NULL,
         '{all_trec}', 'mean', '[0,1]', '{stored}',
         'relevant documents among the first k, divided by min(k, R)', 'trec_eval'),
        (28, 'success', 'Success', NULL, 'cutoff', '{1,5,10}', NULL, '{all_trec}', 'mean', '[0,1]', '{stored}',
         '1 if any of the first k documents is relevant, else 0', 'trec_eval'),
        (29, 'set_P', 'SetP', NULL, 'nothing', NULL, NULL, '{set,all_trec}', 'mean', '[0,1]', '{stored}',
         'relevant retrieved / retrieved', 'van Rijsbergen 1979'),
        (30, 'set_relative_P', NULL, NULL, 'nothing', NULL, NULL, '{set,all_trec}', 'mean', '[0,1]', '{stored}',
         'relevant retrieved / min(retrieved, R)', 'trec_eval'),
        (31, 'set_recall', 'SetR', NULL, 'nothing', NULL, NULL, '{set,all_trec}', 'mean', '[0,1]', '{stored}',
         'relevant retrieved / R', 'van Rijsbergen 1979'),
        (32, 'set_map', 'SetAP', NULL, 'nothing', NULL, NULL, '{set,all_trec}', 'mean', '[0,1]', '{stored}',
         'set_P · set_recall', 'trec_eval'),
        (33, 'set_F', 'SetF', NULL, 'numbers', NULL, 'beta²=1.0[0,]', '{set,all_trec}', 'mean', '[0,1]', '{stored}',
         '(x + 1) P R / (x P + R) of set_P and set_recall', 'van Rijsbergen 1979'),
        (34, 'num_nonrel_judged_ret', NULL, NULL, 'nothing', NULL, NULL, '{all_trec}', 'sum', '[0,]', '{stored}',
         'documents retrieved that are judged not relevant', 'trec_eval'),
        (35, 'yaap', NULL, NULL, 'nothing', NULL, NULL, '{}', 'mean', '[,]', '{}',
         'ln((1 + s) / (1 + R - s)), s = AP · R', 'Robertson 2012: On Smoothing Average Precision, ECIR 2012'),
        (36, 'rbp', NULL, NULL, 'p', NULL, 'p=0.9[0,1]', '{all_trec}', 'mean', '[0,1]', '{stored}',
         '(1 - p) · sum of gain · p^(r - 1); the gain is the grade / max(1, the best grade of the query)',
         'Moffat & Zobel 2008: Rank-Biased Precision for Measurement of Retrieval Effectiveness, ACM TOIS 27(1), 2008'),
        (37, 'rbp_resid', NULL, NULL, 'p', NULL, 'p=0.9[0,1]', '{all_trec}', 'mean', '[0,1]', '{stored}',
         'possible increase of rbp if all unjudged documents were relevant; 0 if all retrieved are judged',
         'Moffat & Zobel 2008'),
        (38, 'unj', NULL, NULL, 'cutoff', '{5,10,20}', NULL, '{all_trec}', 'mean', '[0,1]', '{stored}',
         'unjudged documents among the first k, divided by k', 'trec_eval'),
        (39, 'binary_rbp', 'RBP', NULL, 'p', NULL, 'p=0.8[0,1]', NULL, 'mean', '[0,1]', '{}',
         '(1 - p) · sum over relevant documents of p^(r - 1)', 'Moffat & Zobel 2008'),
        (40, 'recip_rank_cut', 'RR', '{mrr}', 'cutoff', '{10}', NULL, NULL, 'mean', '[0,1]', '{requests}',
         'RR; 0 if the first relevant document is below rank k',
         'ir_measures: MacAvaney et al., Streamlining Evaluation with ir-measures, ECIR 2022'),
        (41, 'ndcg_exp', 'nDCG(dcg=''exp-log2'')', NULL, 'cutoff', '{10}', NULL, NULL, 'mean', '[0,1]', '{}',
         'nDCG with the gain 2^grade - 1', 'Burges et al. 2005: Learning to Rank Using Gradient Descent, ICML 2005'),
        (42, 'err', 'ERR', NULL, 'cutoff', '{20}', 'max=4[0,99]', NULL, 'mean', '[0,1]', '{}',
         'sum over the first k of 1/r · s · product of 1 - s above, s = (2^grade - 1) / 2^4 (max= for 4)',
         'Chapelle et al. 2009: Expected Reciprocal Rank for Graded Relevance, CIKM 2009'),
        (43, 'judged', 'Judged', NULL, 'cutoff', '{10}', NULL, NULL, 'mean', '[0,1]', '{stored}',
         'judged documents among the first k, divided by the number retrieved there', 'ir_measures'),
        (44, 'insq', 'INSQ', NULL, 'nothing', NULL, 'T=1.0[0.5,] max_rel!=1[1,32767]', NULL, 'mean', '[0,1]', '{}',
         'sum of gain · W(r) over 1,000 ranks, W(r) proportional to 1 / (r + 2T - 1)²; the gain is min(grade, '
         'max_rel) / max_rel',
         'Moffat et al. 2012: Models and Metrics: IR Evaluation as a User Process, ADCS 2012'),
        (45, 'inst', 'INST', NULL, 'nothing', NULL, 'T=1.0[0.5,] max_rel!=1[1,32767]', NULL, 'mean', '[0,1]', '{}',
         'sum of gain · W(r) over 1,000 ranks, W(r + 1) / W(r) = ((r + 2T - G - 1) / (r + 2T - G))², G the gain up to '
         'r; gain as in INSQ',
         'Moffat et al. 2017: Incorporating User Expectations and Behavior into the Measurement of Search '
         'Effectiveness, TOIS 2017'),
        (46, 'sdcg', 'SDCG', NULL, 'cutoff', '{10}', 'max_rel!=1[1,32767]', NULL, 'mean', '[0,1]', '{}',
         'DCG of the first k, divided by the DCG of k documents with the highest gain; gain as in INSQ',
         'Järvelin & Kekäläinen 2002'),
        (47, 'bpm', 'BPM', NULL, 'cutoff', '{10}', 'T=1.0[0.001,] max_rel!=1[1,32767]', NULL, 'mean', '[0,1]', '{}',
         'mean gain up to the rank at which the gain reaches T, at most k; gain as in INSQ',
         'Zhang et al. 2017: Evaluating Web Search with a Bejeweled Player Model, SIGIR 2017'),
        (48, 'nerr8', 'NERR8', NULL, 'cutoff', '{10}', 'max_rel!=1[1,32767]', NULL, 'mean', '[0,1]', '{}',
         'sum of gain · W(r) over the first k, W(r + 1) / W(r) = 1 - gain; gain as in INSQ',
         'Azzopardi et al. 2021: ERR is not C/W/L: Exploring the Relationship Between Expected Reciprocal Rank and '
         'Other Metrics, ICTIR 2021'),
        (49, 'nerr9', 'NERR9', NULL, 'cutoff', '{10}', 'max_rel!=1[1,32767]', NULL, 'mean', '[0,1]', '{}',
         'sum of gain · W(r) over the first k, W(r + 1) / W(r) = r / (r + 1) · (1 - gain); gain as in INSQ',
         'Azzopardi et al. 2021'),
        (50, 'nerr10', 'NERR10', NULL, 'nothing', NULL, 'p=0.9[0,1] max_rel!=1[1,32767]', NULL, 'mean', '[0,1]', '{}',
         'sum of gain · W(r) over 1,000 ranks, W(r + 1) / W(r) = p · (1 - gain); gain as in INSQ',
         'Azzopardi et al. 2021'),
        (51, 'nerr11', 'NERR11', NULL, 'nothing', NULL, 'T=1.0[0.5,] max_rel!=1[1,32767]', NULL, 'mean', '[0,1]',
         '{}',
         'sum of gain · W(r) over 1,000 ranks, W(r + 1) / W(r) = ((r + 2T - 1) / (r + 2T))² · (1 - gain); gain as in '
         'INSQ',
         'Azzopardi et al. 2021'),
        (52, 'accuracy', 'Accuracy', NULL, 'nothing', NULL, NULL, NULL, 'mean', '[0,1]', '{}',
         'share of pairs of a relevant and another retrieved document that are in this order; 0 without a relevant '
         'one, else 1 without another one', 'ir_measures'),
        (53, 'accuracy_cut', 'Accuracy', NULL, 'cutoff', '{10}', NULL, NULL, 'mean', '[0,1]', '{}',
         'Accuracy of the first k documents', 'ir_measures'),
        (54, 'err_ia', 'ERR_IA', NULL, 'cutoff', '{5,10,20}', NULL, NULL, 'mean', '[0,1]', '{stored,subtopics}',
         'sum over the first k and their subtopics of 2^(1 - n) / r, the document the n-th for the subtopic; divided '
         'by its value if each document had each subtopic',
         'ndeval: C. Clarke, ndeval 4.5, TREC Web Track 2013'),
        (55, 'nerr_ia', 'nERR_IA', NULL, 'cutoff', '{5,10,20}', NULL, NULL, 'mean', '[0,1]', '{stored,subtopics}',
         'ERR_IA, divided by that of the ideal ranking', 'ndeval'),
        (56, 'alpha_dcg', 'alpha_DCG', NULL, 'cutoff', '{5,10,20}', 'alpha=0.5[0,1]', NULL, 'mean', '[0,1]',
         '{stored,subtopics}',
         'sum over the first k and their subtopics of (1 - alpha)^(n - 1) / log2(r + 1), the document the n-th for the '
         'subtopic; divided by its value if each document had each subtopic',
         'Clarke et al. 2008: Novelty and Diversity in Information Retrieval Evaluation, SIGIR 2008'),
        (57, 'alpha_ndcg', 'alpha_nDCG', NULL, 'cutoff', '{5,10,20}', 'alpha=0.5[0,1]', NULL, 'mean', '[0,1]',
         '{stored,subtopics}',
         'alpha_DCG, divided by that of the ideal ranking, which takes the document with the highest gain at each rank',
         'Clarke et al. 2008'),
        (58, 'nrbp', 'NRBP', NULL, 'nothing', NULL, 'beta=0.5[0,1] alpha=0.5[0,1]', NULL, 'mean', '[0,1]',
         '{stored,subtopics}',
         '(1 - (1 - alpha) · beta) · sum over the documents and their subtopics of (1 - alpha)^(n - 1) · beta^(r - 1), '
         'divided by the number of subtopics; n as in alpha_DCG',
         'Clarke et al. 2009: An Effectiveness Measure for Ambiguous and Underspecified Queries, ICTIR 2009'),
        (59, 'nnrbp', 'nNRBP', NULL, 'nothing', NULL, 'beta=0.5[0,1] alpha=0.5[0,1]', NULL, 'mean', '[0,1]',
         '{stored,subtopics}', 'NRBP, divided by that of the ideal ranking', 'Clarke et al. 2009'),
        (60, 'strecall', 'StRecall', '{strec}', 'cutoff', '{5,10,20}', NULL, NULL, 'mean', '[0,1]',
         '{stored,subtopics}',
         'subtopics of the first k documents, divided by the number of subtopics',
         'Zhai et al. 2003: Beyond Independent Relevance, SIGIR 2003'),
        (61, 'p_ia', 'P_IA', NULL, 'cutoff', '{5,10,20}', NULL, NULL, 'mean', '[0,1]', '{stored,subtopics}',
         'mean of P over the subtopics', 'Agrawal et al. 2009: Diversifying Search Results, WSDM 2009'),
        (62, 'ap_ia', 'AP_IA', '{map_ia}', 'nothing', NULL, NULL, NULL, 'mean', '[0,1]', '{stored,subtopics}',
         'mean of AP over the subtopics', 'Agrawal et al. 2009'),
        (63, 'compat', 'Compat', NULL, 'nothing', NULL, 'p=0.95[0,1]', NULL, 'mean', '[0,1]', '{}',
         'sum of p^(i - 1) · overlap with an ideal ranking at depth i / i, divided by that of the ideal ranking with '
         'itself',
         'Clarke et al. 2021: Assessing Top-k Preferences, ACM TOIS 39(3), 2021')
      ) AS v (place, kind, ir, also, takes, defaults, parameters, groups, mean, range, uses, definition, reference)
$$;
COMMENT ON FUNCTION measure_kinds() IS
    'Registry of measures: names, parameters, sets, aggregation, range, definition and reference, in trec_eval''s '
    'order';
