-- show_metadata: choose which fields of a document the assessors of a pool see besides title and abstract; an
-- empty array or NULL: none, as in a new pool.
--
-- fields: of authors, year, venue, type, citations, source.
-- Raises IR110 no such pool, IR202 another field.
CREATE OR REPLACE FUNCTION show_metadata(pool text, fields text[]) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    pool_id integer := pool_key(show_metadata.pool);
    known CONSTANT text[] := '{authors,year,venue,type,citations,source}';
    unknown text := (SELECT f.name FROM unnest(show_metadata.fields) AS f (name)
                      WHERE coalesce(f.name <> ALL (known), true) LIMIT 1);
BEGIN
    IF NOT coalesce(show_metadata.fields, '{}') <@ known THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%L is not a field of documents', unknown),
            HINT = format('Choose from %s.', array_to_string(known, ', '));
    END IF;
    UPDATE qrels_pools p
       SET params = CASE WHEN cardinality(show_metadata.fields) > 0
                         THEN p.params || jsonb_build_object('metadata',
                             (SELECT jsonb_agg(k.name ORDER BY k.number)
                                FROM unnest(known) WITH ORDINALITY AS k (name, number)
                               WHERE k.name = ANY (show_metadata.fields)))
                         ELSE p.params - 'metadata' END
     WHERE p.id = pool_id;
END
$$;
COMMENT ON FUNCTION show_metadata(text, text[]) IS
    'Chooses which fields of a document assessors of a pool see besides title and abstract; none by default';
