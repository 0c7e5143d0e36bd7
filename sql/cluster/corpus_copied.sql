-- corpus_copied: the end of a transaction that has stored new documents in a distributed collection with COPY, where no
-- unique key protects docnos (begin_loading). It stores their facts, marks the text index as stale, and checks that no
-- other document has one of their docnos, because Citus supports no unique key on them.
--
-- Transactions that store documents run in parallel up to here. From the check to the commit there is one at a time
-- (lock_documents): the check sees the documents of all transactions that committed before, on all servers.
--
-- Raises unique_violation if a docno is stored twice. The caller then stores the documents with corpus_merge.
CREATE OR REPLACE FUNCTION corpus_copied(docs bigint[], docnos text[])
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
DECLARE
    stored bigint;
BEGIN
    INSERT INTO dblp_facts (id, year, n_citation, n_reference, doc_type, venue, licence, data_source)
    SELECT d.id, r.year, r.n_citation, r.n_reference, r.doc_type, r.venue, r.licence,
           left(nullif(current_setting('stc.source', true), ''), 500)
      FROM dblp d CROSS JOIN LATERAL record_facts(d.doc) r
     WHERE d.id = ANY (corpus_copied.docs);
    PERFORM lock_documents();
    SELECT count(*) INTO stored FROM dblp d WHERE d.docno = ANY (corpus_copied.docnos);
    IF stored <> cardinality(corpus_copied.docnos) THEN
        RAISE unique_violation USING MESSAGE = 'a docno is already stored',
            HINT = 'Store the documents with corpus_merge.';
    END IF;
    UPDATE text_index i SET stale = true WHERE NOT i.stale AND stored > 0;
END
$$;
COMMENT ON FUNCTION corpus_copied(bigint[], text[]) IS
'Part of a load: store the facts of copied documents in a distributed collection, and check that their docnos are new';
