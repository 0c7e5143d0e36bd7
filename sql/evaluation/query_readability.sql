-- query_readability: readability and credibility of the first k documents per run and query, ordered by run and query.
-- Used for significance tests and plots.
--
-- Columns, parameters and errors are those of run_readability; means are over the documents of the query. The mean of
-- these rows differs slightly from the run's value if queries have unequal numbers of documents. A query without
-- documents has no row, because the readability of an empty list is undefined, not 0.
CREATE OR REPLACE FUNCTION public.query_readability(
    runs text[] DEFAULT NULL, k integer DEFAULT 10, edition text DEFAULT NULL, measure text DEFAULT 'textstat_fkgl',
    query_set text DEFAULT 'all')
RETURNS TABLE (
    run text, query text, documents bigint, measured bigint, listing bigint,
    refs double precision, vocabulary double precision, long_ratio double precision, complex_ratio double precision,
    fkgl double precision, fkgl_median double precision, citations double precision,
    citation_percentile double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT n.run, q.query, g.documents, g.measured, g.listing,
           g.refs, g.vocabulary, g.long_ratio, g.complex_ratio, g.fkgl, g.fkgl_median, g.citations,
           g.citation_percentile
      FROM group_readability(query_readability.runs, query_readability.k, query_readability.edition,
                             query_readability.measure, true, query_readability.query_set) g
      JOIN st1_runs n ON n.id = g.run
      JOIN st1_queries q ON q.id = g.query
     ORDER BY n.run, q.query COLLATE "C"
$$;
COMMENT ON FUNCTION public.query_readability(text[], integer, text, text, text) IS
    'Readability and credibility of the first k documents, one row per run and query; see run_readability';
