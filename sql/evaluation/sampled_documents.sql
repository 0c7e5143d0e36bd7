-- sampled_documents: documents in the strata of an edition, one row per query and document; all arguments are keys.
-- queries NULL means all.
--
--   rel      grade; NULL if the document was not drawn, or is not judged, or has a negative grade
--   size     number of documents in its stratum
--   judged   number of them with a grade: the sample
CREATE OR REPLACE FUNCTION sampled_documents(edition integer, queries integer[])
RETURNS TABLE (query integer, doc bigint, stratum text, rel smallint, size double precision, judged double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT s.query, s.doc, s.stratum, j.rel, count(*) OVER stratum, count(j.rel) OVER stratum
      FROM qrels_strata s
      LEFT JOIN (SELECT g.query, g.doc, g.rel FROM qrels g
                  WHERE g.edition = sampled_documents.edition AND g.rel >= 0
                    AND (sampled_documents.queries IS NULL OR g.query = ANY (sampled_documents.queries))) j
        ON j.query = s.query AND j.doc = s.doc AND s.drawn
     WHERE s.edition = sampled_documents.edition
       AND (sampled_documents.queries IS NULL OR s.query = ANY (sampled_documents.queries))
    WINDOW stratum AS (PARTITION BY s.query, s.stratum)
$$;
COMMENT ON FUNCTION sampled_documents(integer, integer[]) IS
    'Documents in the strata of an edition, with grade, size of the stratum and number of judged documents in it';
