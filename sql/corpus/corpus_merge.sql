-- corpus_merge: stores documents of which some may be stored already. Direct COPY is the quick way; this is the one
-- taken where COPY met a duplicate. The arrays are parallel, one element a document, docnos distinct.
--
-- Of documents that differ under one docno, what comes first in the file stays; with replace what comes last stays, and
-- what is stored from elsewhere gives way, also where only title or text differ (the same record, read by other names
-- of fields). Chunks of a file are stored side by side, not in order. Which came first is
-- told all the same: a stored document and the row in corpus_chunks of the chunk that brought it were written by one
-- transaction, hence have one xmin.
--
-- A stub always gives way to its document, and keeps its id. A document whose number is the id of another one gets an
-- id from dblp_id_seq. Returns a row for each document that met its like: outcome 'stub' (now filled), 'same', or that
-- another one was stored which comes 'before' it, or 'later' in the same file.
CREATE OR REPLACE FUNCTION corpus_merge(
    file integer, chunk integer, replace boolean,
    line bigint[], id bigint[], docno text[], doc text[], title text[], abstract text[])
RETURNS TABLE (at_line bigint, outcome text)
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    WITH came AS (
        SELECT * FROM unnest(corpus_merge.id, corpus_merge.docno, corpus_merge.doc, corpus_merge.title,
                             corpus_merge.abstract)
            AS i (id, docno, doc, title, abstract)
    ), added AS (
        INSERT INTO dblp (id, docno, doc)
        SELECT CASE WHEN EXISTS (SELECT FROM dblp d WHERE d.id = c.id) THEN nextval('dblp_id_seq') ELSE c.id END,
               c.docno, c.doc::jsonb
          FROM came c WHERE NOT EXISTS (SELECT FROM dblp d WHERE d.docno = c.docno)
         ORDER BY c.id
        ON CONFLICT (docno) DO NOTHING
        RETURNING id, docno
    )
    INSERT INTO dblp_text (id, title, abstract)
    SELECT a.id, c.title, c.abstract FROM added a JOIN came c ON c.docno = a.docno;

    -- Locked by a statement of its own: the one that compares must see what those it waited for have committed.
    PERFORM FROM dblp d WHERE d.docno = ANY (corpus_merge.docno) ORDER BY d.id FOR UPDATE;
    RETURN QUERY
    WITH came AS (
        SELECT i.line, i.docno, i.doc::jsonb AS doc, i.title, i.abstract
          FROM unnest(corpus_merge.line, corpus_merge.docno, corpus_merge.doc, corpus_merge.title,
                      corpus_merge.abstract)
            AS i (line, docno, doc, title, abstract)
    ), met AS MATERIALIZED (
        SELECT c.line, d.id, c.doc, c.title, c.abstract, d.stub,
               d.doc = c.doc AND (NOT corpus_merge.replace
                   OR (c.title, c.abstract) IS NOT DISTINCT FROM (t.title, t.abstract)) AS same,
               EXISTS (SELECT FROM corpus_chunks k
                        WHERE k.file = corpus_merge.file AND k.chunk > corpus_merge.chunk AND k.xmin = d.xmin) AS later
          FROM came c JOIN dblp d ON d.docno = c.docno LEFT JOIN dblp_text t ON t.id = d.id
         WHERE d.xmin <> pg_current_xact_id()::xid          -- not one that was added just now
    ), taken AS (
        UPDATE dblp d SET doc = m.doc, stub = false
          FROM met m
         WHERE d.id = m.id AND (m.stub OR (NOT m.same AND m.later <> corpus_merge.replace))
        RETURNING d.id, m.title, m.abstract
    ), texts AS (
        INSERT INTO dblp_text (id, title, abstract) SELECT t.id, t.title, t.abstract FROM taken t
        ON CONFLICT (id) DO UPDATE SET title = excluded.title, abstract = excluded.abstract
    )
    SELECT m.line, CASE WHEN m.stub THEN 'stub' WHEN m.same THEN 'same' WHEN m.later THEN 'later' ELSE 'before' END
      FROM met m ORDER BY m.line;
END
$$;
COMMENT ON FUNCTION corpus_merge(integer, integer, boolean, bigint[], bigint[], text[], text[], text[], text[]) IS
'Stores documents of which some may be stored already, and says which; the first in the file stays, or the last with '
'replace';
