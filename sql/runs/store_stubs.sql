-- store_stubs: store stubs of documents that are not stored; returns their number. docnos are distinct.
--
-- The id of a stub is its docno if that is a number and no document has this id, else the next of dblp_id_seq.
CREATE OR REPLACE FUNCTION store_stubs(docnos text[])
RETURNS bigint
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    numbers bigint[] := ARRAY(
        SELECT CASE WHEN u.docno ~ '^(0|[1-9][0-9]{0,18})$' AND u.docno::numeric <= 9223372036854775807
                    THEN u.docno::bigint END
          FROM unnest(store_stubs.docnos) WITH ORDINALITY u (docno, place) ORDER BY u.place);
    taken bigint[];
    stored CONSTANT text[] := stored_before(store_stubs.docnos);
    added bigint;
BEGIN
    SELECT array_agg(d.id) INTO taken FROM dblp d WHERE d.id = ANY (numbers);
    INSERT INTO dblp (id, docno, doc, stub)
    SELECT CASE WHEN n.id IS NULL OR n.id = ANY (taken) THEN nextval('dblp_id_seq') ELSE n.id END, n.docno, '{}', true
      FROM unnest(store_stubs.docnos, numbers) n (docno, id)
     WHERE n.docno <> ALL (stored)
     ORDER BY n.docno COLLATE "C"
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    RETURN added;
END
$$;
COMMENT ON FUNCTION store_stubs(text[]) IS 'Store stubs of documents that are not stored; returns their number';
