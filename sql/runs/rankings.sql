-- rankings: ranked documents of all runs, with external names.
CREATE OR REPLACE VIEW public.rankings WITH (security_invoker = true) AS
SELECT n.run, q.query, d.docno, r.doc, r.rank, r.rel_score, r.comb_score, r.passage, r.rel_score AS score
  FROM st1_rankings r
  JOIN st1_runs n ON n.id = r.run
  JOIN st1_queries q ON q.id = r.query
  JOIN dblp d ON d.id = r.doc;
COMMENT ON VIEW public.rankings IS 'Ranked documents of all runs by name: run, query, docno';
COMMENT ON COLUMN public.rankings.run IS 'name of the run';
COMMENT ON COLUMN public.rankings.query IS 'name of the query';
COMMENT ON COLUMN public.rankings.docno IS 'name of the document outside the database';
COMMENT ON COLUMN public.rankings.doc IS 'dblp.id of the document';
COMMENT ON COLUMN public.rankings.rank IS 'rank of the document, 1 = best';
COMMENT ON COLUMN public.rankings.rel_score IS 'score of the retrieval system';
COMMENT ON COLUMN public.rankings.comb_score IS
    'score combined with readability or credibility; NULL if none was computed';
COMMENT ON COLUMN public.rankings.passage IS 'passage that was retrieved; NULL if none is stored';
COMMENT ON COLUMN public.rankings.score IS 'score of the retrieval system, the same as rel_score';
