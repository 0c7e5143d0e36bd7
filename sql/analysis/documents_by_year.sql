-- documents_by_year: number of documents by year of publication, and of those with an abstract, without stubs.
--
-- year: NULL for documents without a year, or with one that cannot be right, such as 0 (plausible_year). This row is
-- the last one.
CREATE OR REPLACE FUNCTION documents_by_year() RETURNS TABLE (year integer, documents bigint, abstracts bigint)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT plausible_year(f.year), count(*), count(t.abstract)
      FROM dblp_facts f LEFT JOIN dblp_text t ON t.id = f.id
     GROUP BY 1
     ORDER BY 1 NULLS LAST
$$;
COMMENT ON FUNCTION documents_by_year() IS
    'Number of documents by year, and of those with an abstract; NULL without a year';
