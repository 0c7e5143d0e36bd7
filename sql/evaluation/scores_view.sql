-- scores: scores of each run for each query of each edition, by the most common measures. The function scores computes
-- others.
--
-- Values that judge_runs stored are read, others are computed. Restrict edition in the WHERE clause to avoid scoring
-- all editions.
CREATE OR REPLACE VIEW public.scores WITH (security_invoker = true) AS
SELECT e.edition, s.run COLLATE "C" AS run, s.query COLLATE "C" AS query, s.measure, s.value
  FROM qrels_editions e
 CROSS JOIN LATERAL scores('{}', e.edition, '{nDCG@10,AP,P@10,R@100,RR,Bpref,Judged@10}') s;
COMMENT ON VIEW public.scores IS
    'Scores per edition, run, query and measure: nDCG@10, AP, P@10, R@100, RR, Bpref, Judged@10';
COMMENT ON COLUMN public.scores.edition IS 'name of the edition';
COMMENT ON COLUMN public.scores.run IS 'name of the run';
COMMENT ON COLUMN public.scores.query IS 'name of the query';
COMMENT ON COLUMN public.scores.measure IS 'name of the measure, such as nDCG@10';
COMMENT ON COLUMN public.scores.value IS 'value of the measure';
