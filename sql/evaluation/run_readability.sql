-- run_readability: readability and credibility of the documents that runs rank k or better, over all queries; one row
-- per run, by name.
--
-- A document retrieved for two queries counts twice; a query with fewer than k documents contributes those it has.
--
--   documents            ranked documents, over the queries for which the run has a ranking
--   measured             documents with readability values, the basis of vocabulary to fkgl_median. A document whose
--                        abstract is missing or has no words is ignored; it does not count as 0
--   listing              documents whose record lists references, the basis of refs; other records say nothing about
--                        references
--   refs                 mean number of references
--   vocabulary           mean number of different words of an abstract (read_wordtypes)
--   long_ratio           mean over documents of read_long_words / read_tok: words of 7 characters or more
--   complex_ratio        mean over documents of read_complex_words / read_tok: words of 3 syllables or more
--   fkgl, fkgl_median    mean and median of the Flesch-Kincaid grade level: .39 words / sentences + 11.8 syllables /
--                        words - 15.59 (Kincaid et al., Research Branch Report 8-75, 1975), from the column named by
--                        measure
--   citations            mean number of citations, over documents whose record has it
--   citation_percentile  mean percentile of citations among documents of the same year and field (citation_ranks), 0 to
--                        100, over documents that have it
--
-- runs: run names; NULL or an empty array means all. edition: use only the queries judged in it; NULL for all queries.
-- query_set: only those of a set (query_set). measure: textstat_fkgl or cmu_fkgl. A run without documents has a row
-- with documents 0 and NULL means.
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query or set, IR108 measure is not a grade level,
-- IR201 k below 1, IR405 no readability computed yet.
CREATE OR REPLACE FUNCTION public.run_readability(
    runs text[] DEFAULT NULL, k integer DEFAULT 10, edition text DEFAULT NULL, measure text DEFAULT 'textstat_fkgl',
    query_set text DEFAULT 'all')
RETURNS TABLE (
    run text, queries bigint, documents bigint, measured bigint, listing bigint,
    refs double precision, vocabulary double precision, long_ratio double precision, complex_ratio double precision,
    fkgl double precision, fkgl_median double precision, citations double precision,
    citation_percentile double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT n.run, coalesce(g.queries, 0), coalesce(g.documents, 0), coalesce(g.measured, 0), coalesce(g.listing, 0),
           g.refs, g.vocabulary, g.long_ratio, g.complex_ratio, g.fkgl, g.fkgl_median, g.citations,
           g.citation_percentile
      FROM st1_runs n
      LEFT JOIN group_readability(run_readability.runs, run_readability.k, run_readability.edition,
                                  run_readability.measure, false, run_readability.query_set) g
        ON g.run = n.id
     WHERE n.id = ANY (run_keys(run_readability.runs))
     ORDER BY n.run
$$;
COMMENT ON FUNCTION public.run_readability(text[], integer, text, text, text) IS
    'Readability and credibility of the first k documents per query, averaged per run; NULL means no value';
