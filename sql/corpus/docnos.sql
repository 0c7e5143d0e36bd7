-- docnos: the docnos of documents, in the order of their ids; NULL for an id that no document has.
--
-- A statement that reads runs or judgments calls it instead of joining dblp: if the collection is distributed, Citus
-- cannot join documents with other tables row by row, but it can read many documents in one statement.
CREATE OR REPLACE FUNCTION docnos(docs bigint[])
RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    RETURN (WITH named AS (SELECT d.id, d.docno FROM dblp d WHERE d.id = ANY (docnos.docs))
            SELECT array_agg(n.docno ORDER BY u.place)
              FROM unnest(docnos.docs) WITH ORDINALITY u (id, place) LEFT JOIN named n ON n.id = u.id);
END
$$;
COMMENT ON FUNCTION docnos(bigint[]) IS 'Docnos of documents, in the order of their ids';
