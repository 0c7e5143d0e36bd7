-- complete_documents: trigger that completes documents inserted without docno, so that INSERT INTO dblp (id, doc) is
-- enough to add a document:
--
--   INSERT INTO dblp (id, doc) VALUES (4711, '{"id": 4711, "title": "Privacy at home", "abstract": "…"}');
--
-- docno becomes the id in the record, or dblp.id if it has none. Title and abstract are inserted into dblp_text
-- (record_text). Searches of words then find the document; BM25 needs a new index, as after a load. If a statement
-- names docno, it inserts the text too, as loads do. A warning counts texts that were cut, because they were longer
-- than can be indexed.
--
-- A default cannot read the other columns, and a trigger for each row would make COPY insert rows one by one. Therefore
-- the default is a mark (migration 0026), and one statement handles the rows that have it. RETURNING shows the mark.
-- It runs with the rights of the role that inserts, which needs UPDATE on dblp and INSERT on dblp_text.
CREATE OR REPLACE FUNCTION complete_documents()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    cut bigint;
BEGIN
    IF EXISTS (SELECT FROM written w WHERE starts_with(w.docno, 'without docno: ')) THEN
        WITH came AS MATERIALIZED (
            SELECT w.id, w.stub, r.docno, r.title, r.abstract
              FROM written w CROSS JOIN LATERAL record_text(w.doc) r
             WHERE starts_with(w.docno, 'without docno: ')
        ), named AS (
            UPDATE public.dblp d SET docno = coalesce(c.docno, c.id::text) FROM came c WHERE d.id = c.id
        )
        INSERT INTO public.dblp_text (id, title, abstract)
        SELECT c.id, c.title, c.abstract FROM came c WHERE NOT c.stub;
        SELECT count(*) INTO cut
          FROM (SELECT w.doc FROM written w
                 WHERE NOT w.stub AND starts_with(w.docno, 'without docno: ') AND length(w.doc::text) > 100000
                OFFSET 0) l
         CROSS JOIN LATERAL record_text(l.doc) r
         WHERE coalesce(length(r.title), 0) + coalesce(length(r.abstract), 0) = 262144;
        IF cut > 0 THEN
            RAISE WARNING
                'Title and abstract of % cut at 262,144 characters, the most that can be indexed',
                counted(cut, 'document was', 'documents were')
                USING HINT = 'dblp.doc has the whole record.';
        END IF;
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION complete_documents() IS
'Trigger on dblp: add docno and text of documents that were inserted without docno';

CREATE OR REPLACE TRIGGER dblp_text_insert
AFTER INSERT ON dblp
REFERENCING NEW TABLE AS written
FOR EACH STATEMENT EXECUTE FUNCTION complete_documents();
