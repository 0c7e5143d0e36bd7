-- corpus_merge: store documents on several servers. corpus/corpus_merge.sql, for one server, describes the arrays and
-- the rows returned.
--
-- Citus supports neither a unique key without the distribution column nor triggers, so this function takes their place.
-- One transaction at a time stores documents, and looks for their docnos before. It stores the facts, deletes what was
-- computed from a replaced text, and marks the text index as stale, as keep_facts, forget_vectors, forget_measures and
-- text_mark_stale do.
--
-- A load calls it for a chunk when all earlier chunks of the file are stored (stcollection/corpus/store.py). Later
-- chunks may have stored documents already, by COPY: those that their rows in corpus_chunks list.
--
-- All servers commit together, or none (two-phase commit).
CREATE OR REPLACE FUNCTION corpus_merge(
    file integer, chunk integer, replace boolean,
    line bigint[], id bigint[], docno text[], doc text[], title text[], abstract text[])
RETURNS TABLE (at_line bigint, outcome text)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
#variable_conflict use_column
DECLARE
    taken bigint[];
BEGIN
    PERFORM lock_documents();
    DROP TABLE IF EXISTS pg_temp.merge_stored, pg_temp.merge_came;
    CREATE TEMP TABLE merge_stored ON COMMIT DROP AS
    SELECT d.id, d.docno, d.stub, d.doc, t.title, t.abstract
      FROM dblp d LEFT JOIN dblp_text t ON t.id = d.id WHERE d.docno = ANY (corpus_merge.docno);
    CREATE TEMP TABLE merge_came ON COMMIT DROP AS
    SELECT c.line, coalesce(s.id, c.id) AS id, c.docno, c.doc, c.title, c.abstract, o.outcome,
           o.outcome IN ('new', 'stub') OR o.outcome = 'before' AND corpus_merge.replace
               OR o.outcome = 'later' AND NOT corpus_merge.replace AS written,
           (c.title, c.abstract) IS DISTINCT FROM (s.title, s.abstract) AS other_text,
           c.abstract IS DISTINCT FROM s.abstract AS other_abstract
      FROM (SELECT i.line, i.id, i.docno, i.doc::jsonb AS doc, i.title, i.abstract
              FROM unnest(corpus_merge.line, corpus_merge.id, corpus_merge.docno,
                          corpus_merge.doc, corpus_merge.title,
                          corpus_merge.abstract) AS i (line, id, docno, doc, title, abstract)) c
      LEFT JOIN pg_temp.merge_stored s ON s.docno = c.docno COLLATE "C"
     CROSS JOIN LATERAL (
           SELECT CASE WHEN s.id IS NULL THEN 'new' WHEN s.stub THEN 'stub'
                       WHEN s.doc = c.doc AND (NOT corpus_merge.replace
                            OR (c.title, c.abstract) IS NOT DISTINCT FROM (s.title, s.abstract)) THEN 'same'
                       WHEN EXISTS (SELECT FROM corpus_chunks k
                                     WHERE k.file = corpus_merge.file
                                       AND k.chunk > corpus_merge.chunk
                                       AND s.id = ANY (k.docs)) THEN 'later'
                       ELSE 'before' END) o (outcome);
    SELECT array_agg(d.id) INTO taken FROM dblp d
     WHERE d.id = ANY (ARRAY(SELECT m.id FROM pg_temp.merge_came m WHERE m.outcome = 'new'));
    UPDATE pg_temp.merge_came m SET id = nextval('dblp_id_seq') WHERE m.outcome = 'new' AND m.id = ANY (taken);

    INSERT INTO dblp (id, docno, doc)
    SELECT m.id, m.docno, m.doc FROM pg_temp.merge_came m WHERE m.outcome = 'new' ORDER BY m.id;
    UPDATE dblp d SET doc = m.doc, stub = false
      FROM pg_temp.merge_came m WHERE d.id = m.id AND m.written AND m.outcome <> 'new';
    INSERT INTO dblp_text (id, title, abstract)
    SELECT m.id, m.title, m.abstract FROM pg_temp.merge_came m
     WHERE m.written AND (m.outcome IN ('new', 'stub') OR m.other_text) ORDER BY m.id
    ON CONFLICT (id) DO UPDATE SET title = excluded.title, abstract = excluded.abstract;
    INSERT INTO dblp_facts AS f (id, year, n_citation, n_reference, doc_type, venue, licence, data_source)
    SELECT m.id, r.year, r.n_citation, r.n_reference, r.doc_type, r.venue, r.licence,
           left(nullif(current_setting('stc.source', true), ''), 500)
      FROM pg_temp.merge_came m CROSS JOIN LATERAL record_facts(m.doc) r WHERE m.written
    ON CONFLICT (id) DO UPDATE
       SET year = excluded.year, n_citation = excluded.n_citation, n_reference = excluded.n_reference,
           doc_type = excluded.doc_type, venue = excluded.venue, licence = excluded.licence,
           data_source = coalesce(excluded.data_source, f.data_source);
    PERFORM forget_computed(
        ARRAY(SELECT m.id FROM pg_temp.merge_came m
               WHERE m.written AND m.outcome IN ('before', 'later') AND m.other_text),
        ARRAY(SELECT m.id FROM pg_temp.merge_came m
               WHERE m.written AND m.outcome IN ('before', 'later') AND m.other_abstract));
    UPDATE text_index i SET stale = true
     WHERE NOT i.stale AND EXISTS (SELECT FROM pg_temp.merge_came m
                                    WHERE m.written AND (m.outcome IN ('new', 'stub') OR m.other_text));

    RETURN QUERY SELECT m.line, m.outcome FROM pg_temp.merge_came m WHERE m.outcome <> 'new' ORDER BY m.line;
    DROP TABLE pg_temp.merge_stored, pg_temp.merge_came;
END
$$;
COMMENT ON FUNCTION corpus_merge(integer, integer, boolean, bigint[], bigint[], text[], text[], text[], text[]) IS
'Store documents of which some may be stored, and report those; keeps the first in the file, or the last with '
'replace';
