-- corpus_complete: add fields to stored documents whose source is split into several files (papers and abstracts of
-- Semantic Scholar). Documents that are not stored, and stubs, are left to COPY and corpus_merge.
--
-- The arrays are parallel, one element per document; docnos are distinct. Returns one row per stored document: line and
-- docno (several documents may be on one line), and outcome:
--
--   same        the document has all fields of the record already
--   completed   it lacked some; they were added
--   before      it has another value for a field and stays unchanged
--   replaced    the same with replace: the record's fields replaced those of the document, other fields stayed
--
-- Raises IR415 if the collection is distributed.
CREATE OR REPLACE FUNCTION corpus_complete(
    replace boolean, line bigint[], docno text[], doc text[], title text[], abstract text[])
RETURNS TABLE (at_line bigint, name text, outcome text)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM refuse_distributed('loading documents that are split into several files');
    -- Lock first: the comparing statement then sees the changes of the transactions that this one waited for.
    PERFORM FROM dblp d WHERE d.docno = ANY (corpus_complete.docno) ORDER BY d.id FOR UPDATE;
    RETURN QUERY
    WITH came AS (
        SELECT i.line, i.docno, i.doc::jsonb AS doc, i.title, i.abstract
          FROM unnest(corpus_complete.line, corpus_complete.docno, corpus_complete.doc, corpus_complete.title,
                      corpus_complete.abstract) AS i (line, docno, doc, title, abstract)
    ), met AS MATERIALIZED (
        SELECT c.line, c.docno, d.id, c.doc, c.title, c.abstract, k.outcome
          FROM came c JOIN dblp d ON d.docno = c.docno AND NOT d.stub
         CROSS JOIN LATERAL (
               SELECT CASE WHEN bool_and(d.doc -> e.key IS NOT DISTINCT FROM e.value) THEN 'same'
                           WHEN bool_and(NOT d.doc ? e.key OR d.doc -> e.key = e.value) THEN 'completed'
                           WHEN corpus_complete.replace THEN 'replaced' ELSE 'before' END AS outcome
                 FROM jsonb_each(c.doc) e) k
    ), taken AS (
        UPDATE dblp d SET doc = d.doc || m.doc FROM met m
         WHERE d.id = m.id AND m.outcome IN ('completed', 'replaced')
        RETURNING d.id, m.title, m.abstract
    ), texts AS (
        INSERT INTO dblp_text AS t (id, title, abstract) SELECT k.id, k.title, k.abstract FROM taken k
        ON CONFLICT (id) DO UPDATE SET title = coalesce(excluded.title, t.title),
                                       abstract = coalesce(excluded.abstract, t.abstract)
                         WHERE (t.title, t.abstract) IS DISTINCT FROM (coalesce(excluded.title, t.title),
                                                                       coalesce(excluded.abstract, t.abstract))
    )
    SELECT m.line, m.docno, m.outcome FROM met m ORDER BY m.line;
END
$$;
COMMENT ON FUNCTION corpus_complete(boolean, bigint[], text[], text[], text[], text[]) IS
'Add fields to stored documents whose source is split into several files, and report what became of each record';
