-- undistribute_documents: move the tables of a distributed collection back to this server, and create the keys,
-- triggers and identity columns again that distribute_documents dropped. One transaction: if it is interrupted, nothing
-- has changed. The text index and vector indexes must be built again.
--
-- Citus makes new tables and creates views that read them again, without their comments and grants; these are restored
-- from the state before. Definitions of keys and triggers come from stc_catalogue, the state after the last upgrade.
-- Raises PostgreSQL's own error if rows violate a key: a docno that occurs twice, or a judgment of a missing document.
CREATE OR REPLACE FUNCTION undistribute_documents()
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    one record;
    keys record;
    names text[];  -- Citus creates the tables again
BEGIN
    -- Tables that refer to a reference table are changed one shard after another.
    PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
    EXECUTE 'CREATE TEMPORARY TABLE distribution ON COMMIT DROP AS
             SELECT p.logicalrelid AS relation FROM pg_dist_partition p
              WHERE p.partmethod IN (''h'', ''n'') AND p.logicalrelid IN (
                    SELECT o.oid FROM collection_objects() o WHERE o.kind = ''TABLE'')';
    names := ARRAY(SELECT format('%I.%I', n.nspname, c.relname) FROM distribution d
                     JOIN pg_class c ON c.oid = d.relation JOIN pg_namespace n ON n.oid = c.relnamespace);
    CREATE TEMPORARY TABLE described ON COMMIT DROP AS
        SELECT n.nspname, c.relname, c.relkind, a.attname, d.description
          FROM pg_description d
          JOIN pg_class c ON c.oid = d.objoid AND d.classoid = 'pg_class'::regclass AND c.relkind IN ('r', 'v', 'i')
          JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname <> 'pg_catalog'
          LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid AND d.objsubid > 0;
    CREATE TEMPORARY TABLE granted ON COMMIT DROP AS
        SELECT n.nspname, c.relname, x.grantee, x.privilege_type, x.is_grantable
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname <> 'pg_catalog',
               aclexplode(c.relacl) x
         WHERE c.relkind = 'v' AND x.grantee <> c.relowner;

    SELECT array_agg(format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname)) AS drops,
           array_agg(format('ALTER TABLE %s ADD CONSTRAINT %I %s', k.conrelid::regclass, k.conname,
                            pg_get_constraintdef(k.oid))) AS adds
      INTO keys
      FROM pg_constraint k JOIN distribution d ON d.relation = k.conrelid
     WHERE k.contype = 'f';
    FOR one IN SELECT u.statement FROM unnest(keys.drops) u (statement) LOOP
        EXECUTE one.statement;
    END LOOP;
    -- Vector indexes of the shards would be created again before the rows are there, with other centres.
    FOR one IN
        SELECT i.indexrelid::regclass AS name
          FROM pg_index i JOIN distribution d ON d.relation = i.indrelid
          JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
         WHERE m.amname IN ('bm25', 'ivfflat', 'hnsw')
    LOOP
        EXECUTE format('DROP INDEX %s', one.name);
    END LOOP;
    FOR one IN SELECT d.relation::text AS relation FROM distribution d ORDER BY 1 LOOP
        EXECUTE 'SELECT undistribute_table($1::regclass)' USING one.relation;
    END LOOP;
    FOR one IN SELECT u.statement FROM unnest(keys.adds) u (statement) LOOP
        EXECUTE one.statement;
    END LOOP;

    -- What the catalogue has and the tables lack; parts of partitioned tables follow their parent.
    FOR one IN
        SELECT s.kind, s.definition, split_part(s.name, ' on ', 1) AS name, c.oid::regclass AS relation
          FROM stc_catalogue s
          JOIN collection_objects() c ON c.object = 'table ' || split_part(s.name, ' on ', 2) AND c.part_of IS NULL
         WHERE s.kind IN ('constraint', 'trigger')
           AND NOT EXISTS (SELECT FROM collection_catalogue() n WHERE n.kind = s.kind AND n.name = s.name)
         ORDER BY s.kind, s.definition LIKE 'FOREIGN KEY%', s.name
    LOOP
        EXECUTE CASE WHEN one.kind = 'trigger' THEN one.definition
                     ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', one.relation, one.name, one.definition) END;
        IF one.definition LIKE 'UNIQUE%' THEN
            EXECUTE format('DROP INDEX IF EXISTS %I', regexp_replace(one.name, '(_key)?$', '_idx'));
        END IF;
    END LOOP;
    FOR one IN
        SELECT t.oid::regclass AS relation, a.attname, right(s.definition, 1) AS identity
          FROM stc_catalogue s
          JOIN collection_catalogue() n ON n.kind = s.kind AND n.name = s.name
          JOIN pg_class t ON t.oid = to_regclass(quote_ident(split_part(s.name, '.', 1)))
          JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = split_part(s.name, '.', 2)
         WHERE s.kind = 'column' AND s.definition IN (n.definition || ' a', n.definition || ' d')
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I ADD GENERATED %s AS IDENTITY', one.relation, one.attname,
                       CASE one.identity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END);
        EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, %L), coalesce(max(t.%I), 1), max(t.%I) IS NOT NULL) '
                       'FROM %s t', one.relation, one.attname, one.attname, one.attname, one.relation);
    END LOOP;

    FOR one IN
        SELECT format('GRANT %s ON %I.%I TO %s%s', g.privilege_type, g.nspname, g.relname,
                      CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END,
                      CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' END) AS statement
          FROM granted g
         WHERE NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, aclexplode(c.relacl) x
                            WHERE (n.nspname, c.relname, x.grantee, x.privilege_type, x.is_grantable)
                                = (g.nspname, g.relname, g.grantee, g.privilege_type, g.is_grantable))
         UNION ALL
        SELECT format('COMMENT ON %s %I.%I%s IS %L',
                      CASE WHEN d.attname IS NOT NULL THEN 'COLUMN' WHEN d.relkind = 'v' THEN 'VIEW'
                           WHEN d.relkind = 'i' THEN 'INDEX' ELSE 'TABLE' END,
                      d.nspname, d.relname, '.' || quote_ident(d.attname), d.description)
          FROM described d
          JOIN pg_namespace n ON n.nspname = d.nspname
          JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = d.relname
          LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = d.attname
         WHERE (d.attname IS NULL OR a.attnum IS NOT NULL)
           AND NOT EXISTS (SELECT FROM pg_description x
                            WHERE x.classoid = 'pg_class'::regclass AND x.objoid = c.oid
                              AND x.objsubid = coalesce(a.attnum, 0))
    LOOP
        EXECUTE one.statement;
    END LOOP;
    UPDATE text_index SET engine = 'portable', anchors = NULL, sealed = NULL, lengths = NULL;
    UPDATE vector_indexes SET anchors = NULL;
    IF to_regrole('stc_organiser') IS NOT NULL THEN
        PERFORM grant_rights();
        PERFORM record_grants(names::regclass[]);
    END IF;
    DROP TABLE distribution, described, granted;
    ANALYZE dblp, dblp_text;
END
$$;
COMMENT ON FUNCTION undistribute_documents() IS
'Move a distributed collection back to one server, with the keys and triggers it had';
