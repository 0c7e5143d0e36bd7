-- named_strata: documents in the strata of an edition with their names, ordered by query and docno as bytes. rel is -1
-- if the document was not drawn or is not judged. queries: their keys; NULL means all.
--
-- Documents may be on other servers, which have no strata, so docnos finds their names.
CREATE OR REPLACE FUNCTION named_strata(edition integer, queries integer[])
RETURNS TABLE (query text, docno text, stratum text, rel smallint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    drawn record;
BEGIN
    SELECT array_agg(s.query) AS queries, array_agg(s.doc) AS docs, array_agg(s.stratum) AS strata,
           array_agg(coalesce(s.rel, -1)::smallint) AS rels INTO drawn
      FROM sampled_documents(named_strata.edition, named_strata.queries) s;
    RETURN QUERY
    SELECT q.query, u.docno, u.stratum, u.rel
      FROM unnest(drawn.queries, docnos(drawn.docs), drawn.strata, drawn.rels) AS u (query, docno, stratum, rel)
      JOIN st1_queries q ON q.id = u.query
     ORDER BY q.query COLLATE "C", u.docno COLLATE "C";
END
$$;
COMMENT ON FUNCTION named_strata(integer, integer[]) IS
    'Documents in the strata of an edition by name, with grades, -1 if not drawn or not judged; by query and docno';
