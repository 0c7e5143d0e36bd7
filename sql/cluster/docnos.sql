-- docnos: the docnos of documents on several servers, as corpus/docnos.sql for one server.
--
-- Citus cannot join documents with other tables row by row, but it can read many documents in one statement.
CREATE OR REPLACE FUNCTION docnos(docs bigint[])
RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    ids bigint[];
    names text[];
BEGIN
    SELECT array_agg(d.id), array_agg(d.docno) INTO ids, names FROM dblp d WHERE d.id = ANY (docnos.docs);
    RETURN (SELECT array_agg(n.docno ORDER BY u.place)
              FROM unnest(docnos.docs) WITH ORDINALITY u (id, place)
              LEFT JOIN unnest(ids, names) n (id, docno) ON n.id = u.id);
END
$$;
COMMENT ON FUNCTION docnos(bigint[]) IS 'Docnos of documents, in the order of their ids';
