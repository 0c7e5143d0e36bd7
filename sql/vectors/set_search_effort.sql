-- set_search_effort: set the search effort of vector indexes for the whole database, so that a plain statement has the
-- recall of knn: SELECT id FROM dblp_v ORDER BY abstract_v <#> embed_query('…') LIMIT 10.
--
-- pgvector's settings apply to all indexes of a kind. They get the highest effort of this kind in vector_indexes. Scans
-- continue until LIMIT is reached, also with a WHERE: in hnsw in strict order; in ivfflat, rows found after the first
-- lists may be nearer than the last one before. Sessions that start afterwards have the settings.
--
-- The settings that this function made are in stc_settings (search_effort). A value that someone else set for the
-- database is kept. index_vectors, store_audit and drop_vector_model call this function; an upgrade and a restore do so
-- as the owner of the database. remove: reset the settings, as an uninstall does.
--
-- Returns the statements that the owner of the database must run because the caller may not; empty if there are none.
CREATE OR REPLACE FUNCTION set_search_effort(remove boolean DEFAULT false)
RETURNS text[]
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    wanted jsonb := '{}';
    ours jsonb;
    present jsonb;
    statements text[];
    one text;
BEGIN
    -- Restores build several indexes at once; PostgreSQL raises an error if two sessions change settings concurrently.
    PERFORM pg_advisory_xact_lock(hashtext('stc search effort'));
    IF NOT remove THEN
        SELECT coalesce(jsonb_object_agg(s.name, s.value), '{}') INTO wanted
          FROM (SELECT i.kind, max(i.effort) AS effort FROM vector_indexes i GROUP BY 1) k
         CROSS JOIN LATERAL (VALUES ('ivfflat', 'ivfflat.probes', least(k.effort, 32768)::text),
                                    ('ivfflat', 'ivfflat.iterative_scan', 'relaxed_order'),
                                    ('hnsw', 'hnsw.ef_search', least(k.effort, 1000)::text),
                                    ('hnsw', 'hnsw.iterative_scan', 'strict_order'),
                                    ('diskann', 'diskann.query_search_list_size', least(k.effort, 10000)::text))
               s (kind, name, value)
         WHERE s.kind = k.kind;
    END IF;
    SELECT coalesce((SELECT s.value::jsonb FROM stc_settings s WHERE s.name = 'search_effort'), '{}') INTO ours;
    SELECT coalesce(jsonb_object_agg(split_part(c.entry, '=', 1), substr(c.entry, strpos(c.entry, '=') + 1)), '{}')
      INTO present
      FROM pg_db_role_setting r CROSS JOIN unnest(r.setconfig) c (entry)
     WHERE r.setrole = 0 AND r.setdatabase = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());
    statements := ARRAY(
        SELECT format('ALTER DATABASE %I ', current_database())
            || CASE WHEN wanted ? n.name THEN format('SET %s = %L', n.name, wanted ->> n.name)
                    ELSE 'RESET ' || n.name END
          FROM (SELECT jsonb_object_keys(wanted || ours)) n (name)
         WHERE wanted ->> n.name IS DISTINCT FROM present ->> n.name
           AND (NOT present ? n.name OR present ->> n.name = ours ->> n.name)
         ORDER BY 1);
    -- Loads the libraries: only superusers can set parameters that are not known yet.
    PERFORM '[1]'::vector, (SELECT pg_indexam_has_property(a.oid, 'can_order') FROM pg_am a WHERE a.amname = 'diskann');
    IF (SELECT pg_has_role(d.datdba, 'USAGE') FROM pg_database d WHERE d.datname = current_database()) THEN
        FOREACH one IN ARRAY statements LOOP
            EXECUTE one;
        END LOOP;
        ours := wanted - ARRAY(SELECT p.key FROM jsonb_each_text(present) p
                                WHERE p.value IS DISTINCT FROM ours ->> p.key);
        DELETE FROM stc_settings s WHERE s.name = 'search_effort' AND s.value::jsonb <> ours;
        INSERT INTO stc_settings (name, value)
        SELECT 'search_effort', ours::text WHERE ours <> '{}' ON CONFLICT DO NOTHING;
        statements := '{}';
    END IF;
    RETURN statements;
END
$$;
COMMENT ON FUNCTION set_search_effort(boolean) IS
'Set the search effort of vector indexes for the whole database, for plain SQL; returns what its owner must run';
