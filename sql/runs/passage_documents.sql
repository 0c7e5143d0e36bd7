-- passage_documents: the documents of passages, in the order of the passages; NULL for a NULL. The docno of a passage
-- is that of its document, the delimiter and the rest: D1#3, D1_p3. The last delimiter counts. A docno without it is
-- that of a whole document, which is its own.
--
-- Documents that are not stored become stubs.
-- Raises IR202 no delimiter, none of the docnos has it, or nothing is before it; IR410 a document that is not stored,
-- if this role may not add documents.
CREATE OR REPLACE FUNCTION passage_documents(passages bigint[], delimiter text)
RETURNS bigint[]
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    names CONSTANT text[] := docnos(passage_documents.passages);
    parents text[];
    ids bigint[];
    known text[];
    missing text[];
BEGIN
    SELECT array_agg(CASE WHEN s.place = 0 THEN s.name
                          ELSE left(s.name, length(s.name) - s.place - length(passage_documents.delimiter) + 1) END
                     ORDER BY s.nr)
      INTO parents
      FROM (SELECT n.name, n.nr, strpos(reverse(n.name), reverse(passage_documents.delimiter)) AS place
              FROM unnest(names) WITH ORDINALITY n (name, nr)) s;
    IF coalesce(passage_documents.delimiter, '') = '' OR parents = names THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = concat(format('no docno contains %L', passage_documents.delimiter),
                             format(', the first is %L', names[1])),
            HINT = 'Passages are named after their document: D1#3. Name what follows the document, such as # or _p.';
    ELSIF '' = ANY (parents) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the passage %L has no document before %L', names[array_position(parents, '')],
                             passage_documents.delimiter),
            HINT = 'The docno of a passage begins with that of its document: D1#3.';
    END IF;
    known := ARRAY(SELECT d.docno FROM dblp d WHERE d.docno = ANY (parents));
    missing := ARRAY(SELECT p.name FROM unnest(parents) p (name) WHERE p.name IS NOT NULL
                     EXCEPT SELECT k.name FROM unnest(known) k (name));
    IF missing <> '{}' AND NOT has_any_column_privilege('dblp', 'INSERT') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410',
            MESSAGE = format('the document %s of the passage %s is not stored, and %s may not add documents',
                             missing[1], names[array_position(parents, missing[1])], current_user),
            HINT = 'Ask an organiser to load the documents, or to make the run.';
    END IF;
    PERFORM store_stubs(missing) WHERE missing <> '{}';
    SELECT array_agg(d.id), array_agg(d.docno) INTO ids, known FROM dblp d WHERE d.docno = ANY (parents);
    RETURN (SELECT array_agg(k.id ORDER BY p.nr)
              FROM unnest(parents) WITH ORDINALITY p (name, nr)
              LEFT JOIN unnest(ids, known) k (id, name) ON k.name = p.name COLLATE "C");
END
$$;
COMMENT ON FUNCTION passage_documents(bigint[], text) IS
'Documents of passages, whose docnos are that of the document, a delimiter and the rest';
