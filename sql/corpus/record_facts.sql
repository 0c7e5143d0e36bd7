-- record_facts: the facts that filters read, from the record of a document: year, citations (n_citation), number of
-- references, document type, venue and licence. NULL if the record has no such value or no integer; 2021.0 is one:
-- pandas writes integers so if a row has none. Venues longer than 500 characters are cut. The licence has one spelling
-- (record_licence, licence_name).
--
-- Written so that PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION record_facts(doc jsonb)
RETURNS TABLE (year integer, n_citation integer, n_reference integer, doc_type text, venue text, licence text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT substring(doc ->> 'year' FROM '^(\d{1,4})(?:\.0*)?$')::integer,
           substring(doc ->> 'n_citation' FROM '^(\d{1,9})(?:\.0*)?$')::integer,
           CASE jsonb_typeof(doc -> 'references') WHEN 'array' THEN jsonb_array_length(doc -> 'references') END,
           nullif(doc ->> 'doc_type', ''),
           left(nullif(coalesce(doc #>> '{venue,raw}',
                                CASE WHEN jsonb_typeof(doc -> 'venue') = 'string' THEN doc ->> 'venue' END), ''), 500),
           stc.licence_name(stc.record_licence(doc))
$$;
COMMENT ON FUNCTION record_facts(jsonb) IS
'Facts that filters read, from the record of a document: year, citations, references, type, venue, licence';
