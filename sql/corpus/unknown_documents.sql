-- unknown_documents: those of these documents that are not stored, in their order. It takes the place of foreign keys
-- to documents.
--
-- hold: keep the stored ones until the end of the transaction (FOR KEY SHARE), as a foreign key does, if all are
-- stored. If a document was not found by the lock, but is there for the next statement, another session has just
-- stored it: the loop locks it.
CREATE OR REPLACE FUNCTION unknown_documents(docs bigint[], hold boolean)
RETURNS bigint[]
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    stored bigint;
    unknown bigint[];
BEGIN
    LOOP
        IF unknown_documents.hold THEN
            SELECT count(*) INTO stored
              FROM (SELECT FROM public.dblp d
                     WHERE d.id = ANY (unknown_documents.docs) ORDER BY d.id FOR KEY SHARE) d;
        ELSE
            SELECT count(*) INTO stored FROM public.dblp d WHERE d.id = ANY (unknown_documents.docs);
        END IF;
        IF stored >= coalesce(cardinality(unknown_documents.docs), 0) THEN
            RETURN '{}';
        END IF;
        unknown := ARRAY(SELECT n.doc FROM unnest(unknown_documents.docs) WITH ORDINALITY n (doc, place)
                          WHERE NOT EXISTS (SELECT FROM public.dblp d WHERE d.id = n.doc) ORDER BY n.place);
        IF unknown <> '{}' THEN
            RETURN unknown;
        ELSIF stored = (SELECT count(DISTINCT n.doc) FROM unnest(unknown_documents.docs) AS n (doc)) THEN
            RETURN '{}';  -- a document is listed twice
        END IF;
    END LOOP;
END
$$;
COMMENT ON FUNCTION unknown_documents(bigint[], boolean) IS
'Documents that are not stored, of those that rows refer to; none if documents are on other servers';
