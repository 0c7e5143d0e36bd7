-- keep_facts: trigger that updates dblp_facts, the facts that filters read (record_facts), after a change to dblp. The
-- data source is the setting stc.source of the transaction that writes, which a load sets; without it, the source
-- stays.
--
-- The table is narrow: filters read all documents in a fraction of the time that parsing their JSON would take. One
-- statement handles all rows of a COPY. Each record is decompressed once, by || in a subquery that OFFSET keeps apart:
-- reading its keys from the row would decompress it for each key, which takes four times as long. Each licence is
-- named once: naming it for each document would take as long as all other facts together.
-- SECURITY DEFINER: roles that write documents have no rights on dblp_facts.
--
-- Safe because: it writes dblp_facts from the rows written to dblp, which it takes as data; no role may call it or put
-- it on a table.
CREATE OR REPLACE FUNCTION keep_facts()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    WITH came AS MATERIALIZED (
        SELECT w.id, r.year, r.n_citation, r.n_reference, r.doc_type, r.venue, record_licence(w.doc) AS licence
          FROM (SELECT o.id, o.doc || '{}' AS doc FROM written o WHERE NOT o.stub OFFSET 0) w
         CROSS JOIN LATERAL record_facts(w.doc) r
    ), licences AS (
        SELECT c.licence, licence_name(c.licence) AS name
          FROM (SELECT DISTINCT licence FROM came WHERE licence IS NOT NULL) c
    )
    INSERT INTO public.dblp_facts AS f (id, year, n_citation, n_reference, doc_type, venue, licence, data_source)
    SELECT c.id, c.year, c.n_citation, c.n_reference, c.doc_type, c.venue, l.name,
           left(nullif(current_setting('stc.source', true), ''), 500)
      FROM came c LEFT JOIN licences l ON l.licence = c.licence
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
