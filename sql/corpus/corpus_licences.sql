-- corpus_licences: the number of documents per data source and licence, without stubs; NULL: none stated.
CREATE OR REPLACE FUNCTION public.corpus_licences()
RETURNS TABLE (data_source text, licence text, documents bigint, abstracts bigint)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT f.data_source, f.licence, count(*), count(*) FILTER (WHERE t.abstract IS NOT NULL)
      FROM dblp_facts f LEFT JOIN dblp_text t ON t.id = f.id
     GROUP BY f.data_source, f.licence
     ORDER BY f.data_source NULLS LAST, count(*) DESC, f.licence
$$;
COMMENT ON FUNCTION public.corpus_licences() IS
'Number of documents and abstracts per data source and licence, without stubs; NULL: none stated';
