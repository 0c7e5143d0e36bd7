-- readable_leaderboard: leaderboard of an edition with the readability and credibility of the first k documents; best
-- nDCG@10 first.
--
-- Relevance measures are those of leaderboard, readability measures those of run_readability. Runs with imported scores
-- only have no readability.
-- Raises IR102 no such edition, IR201 k below 1, IR405 no readability computed yet.
CREATE OR REPLACE FUNCTION public.readable_leaderboard(edition text, k integer DEFAULT 10)
RETURNS TABLE (
    run text, ndcg_cut_10 double precision, recip_rank double precision, map double precision,
    judged_10 double precision,
    documents bigint, measured bigint, refs double precision, vocabulary double precision, long_ratio double precision,
    complex_ratio double precision, fkgl double precision, fkgl_median double precision, citations double precision,
    citation_percentile double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT l.run, l.ndcg_cut_10, l.recip_rank, l.map, l.judged_10, r.documents, r.measured, r.refs, r.vocabulary,
           r.long_ratio,
           r.complex_ratio, r.fkgl, r.fkgl_median, r.citations, r.citation_percentile
      FROM leaderboard(readable_leaderboard.edition) l
      JOIN run_readability(NULL, readable_leaderboard.k, readable_leaderboard.edition) r ON r.run = l.run
     ORDER BY l.ndcg_cut_10 DESC NULLS LAST, l.run COLLATE "C"
$$;
COMMENT ON FUNCTION public.readable_leaderboard(text, integer) IS
    'Leaderboard of an edition with readability and credibility of the first k documents; best nDCG@10 first';
