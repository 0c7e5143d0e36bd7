-- record_text: read docno, title and abstract of a document from its record, as a load of JSON lines or dblp does
-- (stcollection/io/corpus): docno from id, docno, _id, doc_id or docid, the abstract from text, abstract, contents or
-- the inverted indexed_abstract; of several, the first with a value.
--
-- docno is NULL if the record has none that is a string or an integer. Title and abstract together are cut at 262,144
-- characters, as in a load. tests/corpus/test_insert.py compares both.
-- Raises IR301 an inverted abstract that is not {word: [positions]}.
CREATE OR REPLACE FUNCTION record_text(doc jsonb, OUT docno text, OUT title text, OUT abstract text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    most CONSTANT integer := 262144;
BEGIN
    SELECT btrim(doc ->> k.key, E' \t\r\n\f\u00A0') INTO docno
      FROM unnest('{id,docno,_id,doc_id,docid}'::text[]) WITH ORDINALITY k (key, place)
     WHERE jsonb_typeof(doc -> k.key) = 'string' AND doc ->> k.key ~ '[^\s\u00A0]'
        OR jsonb_typeof(doc -> k.key) = 'number' AND doc ->> k.key ~ '^-?\d+$'
     ORDER BY k.place LIMIT 1;
    title := CASE jsonb_typeof(doc -> 'title') WHEN 'string' THEN doc ->> 'title' END;
    title := nullif(left(btrim(regexp_replace(resolve_entities(title), '[\s\u00A0]+', ' ', 'g')), most), '');
    SELECT doc ->> k.key INTO abstract
      FROM unnest('{text,abstract,contents}'::text[]) WITH ORDINALITY k (key, place)
     WHERE jsonb_typeof(doc -> k.key) = 'string' AND doc ->> k.key <> ''
     ORDER BY k.place LIMIT 1;
    IF abstract IS NULL AND doc ->> 'indexed_abstract' NOT IN ('', '{}') THEN
        BEGIN
            SELECT string_agg(e.word, ' ' ORDER BY p.place::integer, e.word COLLATE "C") INTO abstract
              FROM jsonb_each(coalesce((doc ->> 'indexed_abstract')::jsonb -> 'InvertedIndex', '0')) e (word, places)
             CROSS JOIN jsonb_array_elements_text(e.places) p (place);
        EXCEPTION WHEN data_exception THEN
            RAISE EXCEPTION USING ERRCODE = 'IR301',
                MESSAGE = format('document %s: its inverted abstract is not {word: [positions]}, but %s',
                                 coalesce(docno, '(without id)'), left(doc ->> 'indexed_abstract', 80)),
                HINT = 'Correct indexed_abstract, or write the text as "abstract".';
        END;
    END IF;
    abstract := btrim(resolve_entities(abstract), E' \t\r\n\f\u00A0');
    abstract := nullif(left(abstract, most - coalesce(length(title), 0)), '');
END
$$;
COMMENT ON FUNCTION record_text(jsonb) IS
'Docno, title and abstract of a record, read as a load of JSON lines or dblp reads them';
