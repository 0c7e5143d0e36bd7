-- run_readability: how readable and credible what runs retrieve is, over the documents of rank k or better of each
-- query; one row a run, by name. A document that is retrieved for two queries counts twice; a query with fewer than k
-- documents gives those it has.
--
--   documents            ranked documents, over the queries the run has any for
--   measured             those of them with readability; vocabulary to fkgl_median are of these alone. A document
--                        without an abstract, or with one that has no word, has none: it is left out, not 0
--   listing              those whose record lists references; refs is of these alone, for a record without a list says
--                        nothing of them
--   refs                 mean number of references
--   vocabulary           mean number of different words of an abstract (read_wordtypes)
--   long_ratio           mean over documents of read_long_words / read_tok: words of 7 characters or more
--   complex_ratio        mean over documents of read_complex_words / read_tok: words of 3 syllables or more
--   fkgl, fkgl_median    mean and median of the Flesch-Kincaid grade level, of two middle ones their mean: .39 words /
--                        sentences + 11.8 syllables / words - 15.59 (Kincaid et al., Research Branch Report 8-75,
--                        1975), by measure
--   citations            mean number of citations, of documents whose record says it
--   citation_percentile  mean of where documents stand among those of their year and field (citation_ranks), 0 to 100,
--                        of those ranked
--
-- runs: their names, all if none is named. edition: only the queries judged in it; NULL for all. measure: textstat_fkgl
-- or cmu_fkgl. A run without a document has a row with documents 0 and no means.
-- Raises IR101 no such run, IR102 no such edition, IR108 a measure that is no grade level, IR201 k below 1, IR405
-- nothing computed yet.
CREATE OR REPLACE FUNCTION public.run_readability(
    runs text[] DEFAULT NULL, k integer DEFAULT 10, edition text DEFAULT NULL, measure text DEFAULT 'textstat_fkgl')
RETURNS TABLE (
    run text, queries bigint, documents bigint, measured bigint, listing bigint,
    refs double precision, vocabulary double precision, long_ratio double precision, complex_ratio double precision,
    fkgl double precision, fkgl_median double precision, citations double precision,
    citation_percentile double precision)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT n.run, coalesce(g.queries, 0), coalesce(g.documents, 0), coalesce(g.measured, 0), coalesce(g.listing, 0),
           g.refs, g.vocabulary, g.long_ratio, g.complex_ratio, g.fkgl, g.fkgl_median, g.citations,
           g.citation_percentile
      FROM st1_runs n
      LEFT JOIN group_readability(run_readability.runs, run_readability.k, run_readability.edition,
                                  run_readability.measure, false) g
        ON g.run = n.id
     WHERE n.id = ANY (run_keys(run_readability.runs))
     ORDER BY n.run
$$;
COMMENT ON FUNCTION public.run_readability(text[], integer, text, text) IS
    'How readable and credible the first k documents a query of runs are, one row a run';
