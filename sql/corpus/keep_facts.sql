-- keep_facts: trigger that updates dblp_facts, the facts that filters read, after a change to dblp: year, citations
-- (n_citation), number of references, document type, venue, licence and data source. NULL if the record has no such
-- value or no number. Venues longer than 500 characters are cut. The licence is that in license or licence
-- (licence_name). The data source is the setting stc.source of the transaction that writes, which a load sets; without
-- it, the source stays.
--
-- The table is narrow: filters read all documents in a fraction of the time that parsing their JSON would take. One
-- statement handles all rows of a COPY. Each record is decompressed once, by || in a subquery that OFFSET keeps apart:
-- reading its keys from the row would decompress it for each key, which takes four times as long.
-- SECURITY DEFINER: roles that write documents have no rights on dblp_facts.
--
-- Safe because: it writes dblp_facts from the rows written to dblp, which it takes as data; no role may call it or put
-- it on a table.
CREATE OR REPLACE FUNCTION keep_facts()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    INSERT INTO public.dblp_facts AS f (id, year, n_citation, n_reference, doc_type, venue, licence, data_source)
    SELECT w.id, substring(w.doc ->> 'year' FROM '^\d{1,4}$')::integer,
           substring(w.doc ->> 'n_citation' FROM '^\d{1,9}$')::integer,
           CASE jsonb_typeof(w.doc -> 'references') WHEN 'array' THEN jsonb_array_length(w.doc -> 'references') END,
           nullif(w.doc ->> 'doc_type', ''),
           left(nullif(coalesce(w.doc #>> '{venue,raw}',
                                CASE WHEN jsonb_typeof(w.doc -> 'venue') = 'string'
                                     THEN w.doc ->> 'venue' END), ''), 500),
           (SELECT licence_name(w.doc ->> k.key) FROM (VALUES ('license'), ('licence')) k (key)
             WHERE jsonb_typeof(w.doc -> k.key) = 'string' LIMIT 1),
           nullif(current_setting('stc.source', true), '')
      FROM (SELECT o.id, o.doc || '{}' AS doc FROM written o WHERE NOT o.stub OFFSET 0) w
    ON CONFLICT (id) DO UPDATE
       SET year = excluded.year, n_citation = excluded.n_citation, n_reference = excluded.n_reference,
           doc_type = excluded.doc_type, venue = excluded.venue, licence = excluded.licence,
           data_source = coalesce(excluded.data_source, f.data_source);
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION keep_facts() IS 'Trigger on dblp: keep dblp_facts up to date';

CREATE OR REPLACE TRIGGER dblp_facts_insert
AFTER INSERT ON dblp
REFERENCING NEW TABLE AS written
FOR EACH STATEMENT EXECUTE FUNCTION keep_facts();

CREATE OR REPLACE TRIGGER dblp_facts_update
AFTER UPDATE ON dblp
REFERENCING NEW TABLE AS written
FOR EACH STATEMENT EXECUTE FUNCTION keep_facts();
