-- st1_rankings: ranked documents of all runs, one row per document. public.st1_rankings has the layout in which the
-- collection was published: run and query by name. stc.st1_rankings has the numbers of run and query, which are run_id
-- and query_id in the other view. The documents are stored in ranked_lists, up to 120 in a row, and both views can be
-- written (write_ranking).
--
-- first is the rank of the first document of the stored row. A statement that reads only the first ranks of many runs
-- is faster with first <= depth AND rank <= depth, because PostgreSQL then skips the rows with later ranks.
--
-- unnest is in a list of columns, which takes two thirds of the time of unnest WITH ORDINALITY in FROM.
--
-- The joins are outer joins on keys, so that the planner omits them for a statement that reads no name.
CREATE OR REPLACE VIEW stc.st1_rankings WITH (security_invoker = true) AS
SELECT l.run, l.query, u.doc, l.first - 1 + u.place AS rank,
       CASE WHEN cardinality(l.file_ranks) = 0 THEN l.first - 1 + u.place ELSE l.file_ranks[u.place] END AS file_rank,
       l.rel_scores[u.place] AS rel_score, l.comb_scores[u.place] AS comb_score, l.passages[u.place] AS passage, l.first
  FROM stc.ranked_lists l
 CROSS JOIN LATERAL (SELECT unnest(l.docs) AS doc, generate_series(1, cardinality(l.docs)) AS place) u;
COMMENT ON VIEW stc.st1_rankings IS 'Ranked documents of the runs, one row per document';
COMMENT ON COLUMN stc.st1_rankings.run IS 'run: st1_runs.id';
COMMENT ON COLUMN stc.st1_rankings.query IS 'query: st1_queries.id';
COMMENT ON COLUMN stc.st1_rankings.doc IS 'document: dblp.id';
COMMENT ON COLUMN stc.st1_rankings.rank IS
    'rank of the document by trec_eval 9''s rule, 1 = best: descending score in single precision, then descending '
    'docno';
COMMENT ON COLUMN stc.st1_rankings.file_rank IS 'rank of the document in the imported file';
COMMENT ON COLUMN stc.st1_rankings.rel_score IS 'relevance score; larger is better';
COMMENT ON COLUMN stc.st1_rankings.comb_score IS
    'combined score of relevance, readability and credibility; larger is better';
COMMENT ON COLUMN stc.st1_rankings.passage IS 'passage of the document returned by the run';
COMMENT ON COLUMN stc.st1_rankings.first IS 'rank of the first document of the stored row (ranked_lists)';
CREATE OR REPLACE VIEW public.st1_rankings WITH (security_invoker = true) AS
SELECT n.run, q.query, r.doc, r.rank, r.file_rank, r.rel_score, r.comb_score, r.passage, r.run AS run_id,
       r.query AS query_id
  FROM stc.st1_rankings r
  LEFT JOIN public.st1_runs n ON n.id = r.run
  LEFT JOIN stc.st1_queries q ON q.id = r.query;
COMMENT ON VIEW public.st1_rankings IS
    'Ranked documents of the runs as published: (run, query, doc, rank, rel_score), run and query by name';
COMMENT ON COLUMN public.st1_rankings.run IS 'name of the run';
COMMENT ON COLUMN public.st1_rankings.query IS 'name of the query';
COMMENT ON COLUMN public.st1_rankings.doc IS 'dblp.id of the document';
COMMENT ON COLUMN public.st1_rankings.rank IS 'rank of the document, 1 = best';
COMMENT ON COLUMN public.st1_rankings.file_rank IS 'rank of the document in the imported file';
COMMENT ON COLUMN public.st1_rankings.rel_score IS 'relevance score; larger is better';
COMMENT ON COLUMN public.st1_rankings.comb_score IS
    'combined score of relevance, readability and credibility; larger is better';
COMMENT ON COLUMN public.st1_rankings.passage IS 'passage of the document returned by the run';
COMMENT ON COLUMN public.st1_rankings.run_id IS 'number of the run: st1_runs.id';
COMMENT ON COLUMN public.st1_rankings.query_id IS 'number of the query: st1_queries.id';
