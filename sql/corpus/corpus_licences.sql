-- corpus_licences: the number of documents per source and licence, without stubs; NULL: none stated.
CREATE OR REPLACE FUNCTION public.corpus_licences()
RETURNS TABLE (source text, licence text, documents bigint, abstracts bigint)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc, public, pg_temp
AS $$
    SELECT f.source, f.licence, count(*), count(*) FILTER (WHERE t.abstract IS NOT NULL)
      FROM dblp_facts f LEFT JOIN dblp_text t ON t.id = f.id
     GROUP BY f.source, f.licence
     ORDER BY f.source NULLS LAST, count(*) DESC, f.licence
$$;
COMMENT ON FUNCTION public.corpus_licences() IS
'Number of documents and abstracts per source and licence, without stubs; NULL: none stated';
