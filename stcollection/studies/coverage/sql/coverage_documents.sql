-- coverage_documents: documents that contain all given words, best first by boolean_search.
--
--   abstract   two fragments of the abstract
--   total      number of documents that contain all the words
--
-- k: maximum number of documents. within: as for coverage_query. Raises IR201 k below 1, IR202 as coverage_query.
CREATE OR REPLACE FUNCTION coverage_documents(words text[], k integer DEFAULT 20, within text DEFAULT 'text')
RETURNS TABLE (rank integer, docno text, year integer, title text, abstract text, total bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    options CONSTANT text := U&'StartSel="", StopSel="", FragmentDelimiter=\001E, MaxFragments=2, MaxWords=40, '
                             'MinWords=12';
    separation CONSTANT text := text_words();
    used CONSTANT regconfig := text_config();
    wanted CONSTANT text := coverage_query(coverage_documents.words, coverage_documents.within);
    shown CONSTANT tsquery := parse_query(coverage_query(coverage_documents.words));
    held bigint;
BEGIN
    SELECT c.count INTO held
      FROM coverage_counts(jsonb_build_array(to_jsonb(coverage_documents.words)), coverage_documents.within) c;
    RETURN QUERY
    SELECT b.rank, d.docno, f.year::integer, t.title, (
               SELECT string_agg(CASE WHEN strpos(r.words, f.fragment) = 0 THEN f.fragment  -- it had HTML
                                      ELSE substr(t.abstract, strpos(r.words, f.fragment), length(f.fragment)) END,
                                 ' ... ')
                 FROM string_to_table(ts_headline(used, r.words, shown, options), E'\x1e') f (fragment)), held
      FROM boolean_search(wanted, coverage_documents.k) b
      JOIN dblp d ON d.id = b.doc JOIN dblp_text t ON t.id = b.doc LEFT JOIN dblp_facts f ON f.id = b.doc,
           LATERAL indexed_words(t.abstract, separation, false) AS r (words)
     ORDER BY b.rank;
END
$$;
COMMENT ON FUNCTION coverage_documents(text[], integer, text) IS
    'Documents that contain all given words, best first, with two fragments of the abstract';
