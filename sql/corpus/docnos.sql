-- docnos: the docnos of documents, in the order of their ids; NULL for an id that no document has.
--
-- A statement that reads runs or judgments calls it instead of joining dblp, because documents may be on other servers
-- (cluster/docnos.sql).
CREATE OR REPLACE FUNCTION docnos(docs bigint[])
RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    RETURN (SELECT array_agg(d.docno ORDER BY u.place)
              FROM unnest(docnos.docs) WITH ORDINALITY u (id, place) LEFT JOIN dblp d ON d.id = u.id);
END
$$;
COMMENT ON FUNCTION docnos(bigint[]) IS 'Docnos of documents, in the order of their ids';
