-- corpus_merge: store documents of which some may be stored already. Loads use COPY, which is faster, and call this
-- function if COPY meets a duplicate. The arrays are parallel, one element per document; docnos are distinct.
--
-- Of several documents with one docno, the first in the file is kept; with replace the last is kept. With replace the
-- file's document also replaces one from another source, even if only the title or text differ (the same record, read
-- with another mapping of fields). Chunks of a file are stored in parallel, not in order. Which document came first is
-- known nevertheless: a stored document and the corpus_chunks row of its chunk were written by the same transaction and
-- have the same xmin.
--
-- A document always replaces its stub and keeps the stub's id. If a document's number is already the id of another one,
-- it gets an id from dblp_id_seq. Returns one row per document whose docno was already stored. outcome: 'stub' (now
-- filled), 'same' (equal), 'before' or 'later' (a different document stored before it, or from later in the same file).
CREATE OR REPLACE FUNCTION corpus_merge(
    file integer, chunk integer, replace boolean,
    line bigint[], id bigint[], docno text[], doc text[], title text[], abstract text[])
RETURNS TABLE (at_line bigint, outcome text)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
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

    -- Lock first: the comparing statement then sees the changes of the transactions that this one waited for.
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
         WHERE d.xmin <> pg_current_xact_id()::xid          -- not one added above
    ), taken AS (
        UPDATE dblp d SET doc = m.doc, stub = false
          FROM met m
         WHERE d.id = m.id AND (m.stub OR (NOT m.same AND m.later <> corpus_merge.replace))
        RETURNING d.id, m.title, m.abstract
    ), texts AS (
        -- Without a change of the text, the text index stays current.
        INSERT INTO dblp_text AS t (id, title, abstract) SELECT k.id, k.title, k.abstract FROM taken k
        ON CONFLICT (id) DO UPDATE SET title = excluded.title, abstract = excluded.abstract
                         WHERE (t.title, t.abstract) IS DISTINCT FROM (excluded.title, excluded.abstract)
    )
    SELECT m.line, CASE WHEN m.stub THEN 'stub' WHEN m.same THEN 'same' WHEN m.later THEN 'later' ELSE 'before' END
      FROM met m ORDER BY m.line;
END
$$;
COMMENT ON FUNCTION corpus_merge(integer, integer, boolean, bigint[], bigint[], text[], text[], text[], text[]) IS
'Store documents of which some may be stored, and report those; keeps the first in the file, or the last with '
'replace';
