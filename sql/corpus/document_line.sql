-- document_line: a document as a line of JSON. Loading the line gives the same document: the line has the fields of the
-- record, but docno, title and abstract as stored, instead of the fields they were read from.
CREATE OR REPLACE FUNCTION document_line(docno text, doc jsonb, title text, abstract text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT (jsonb_build_object('docno', docno)
            || (doc - '{id,docno,_id,doc_id,docid,text,contents,title,abstract,indexed_abstract}'::text[])
            || jsonb_strip_nulls(jsonb_build_object('title', title, 'abstract', abstract)))::text
$$;
COMMENT ON FUNCTION document_line(text, jsonb, text, text) IS 'A document as a line of JSON that a load reads';
