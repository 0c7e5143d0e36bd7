-- distribute_documents: distribute the tables of the collection with Citus as distribution_plan says, and drop what
-- distribution_losses lists. One transaction: if it is interrupted, nothing has changed.
--
-- The BM25 index must be dropped before, in its own transaction: rolling back its DROP crashes other sessions (see
-- index_text). shards: number of shards of each table. Callers check Citus and its workers first.
CREATE OR REPLACE FUNCTION distribute_documents(shards integer)
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    plan record;
    losses text[];
    replacements text[];
    kept_drops text[];
    kept_adds text[];
    statement text;
BEGIN
    LOCK TABLE dblp, dblp_text IN ACCESS EXCLUSIVE MODE;
    CREATE TEMPORARY TABLE distribution ON COMMIT DROP AS
        SELECT * FROM distribution_plan() p WHERE p.placement <> 'local';
    SELECT array_agg(l.drop_sql ORDER BY l.kind, l.relation, l.name),
           array_agg(l.replace_sql ORDER BY l.name) FILTER (WHERE l.replace_sql IS NOT NULL)
      INTO losses, replacements FROM distribution_losses() l;
    FOREACH statement IN ARRAY coalesce(losses, '{}') || coalesce(replacements, '{}') LOOP
        EXECUTE statement;
    END LOOP;
    -- Keys that Citus supports: it cannot distribute one of two tables that refer to each other.
    SELECT array_agg(format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname)),
           array_agg(format('ALTER TABLE %s ADD CONSTRAINT %I %s', k.conrelid::regclass, k.conname,
                            pg_get_constraintdef(k.oid)))
      INTO kept_drops, kept_adds
      FROM pg_constraint k JOIN distribution d ON d.relation = k.conrelid
     WHERE k.contype = 'f';
    FOREACH statement IN ARRAY coalesce(kept_drops, '{}') LOOP
        EXECUTE statement;
    END LOOP;

    FOR statement IN  -- Citus supports no rights on columns (read_by_column)
        SELECT format('REVOKE SELECT (%2$s) ON TABLE %1$s FROM %3$s; GRANT SELECT ON TABLE %1$s TO %3$s', d.relation,
                      string_agg(quote_ident(a.attname), ', '), x.grantee::regrole)
          FROM distribution d JOIN pg_attribute a ON a.attrelid = d.relation CROSS JOIN aclexplode(a.attacl) x
         WHERE x.privilege_type = 'SELECT' GROUP BY d.relation, x.grantee
    LOOP
        EXECUTE statement;
    END LOOP;
    PERFORM set_config('citus.shard_count', distribute_documents.shards::text, true),
            -- Tables that refer to a reference table are created one shard after another.
            set_config('citus.multi_shard_modify_mode', 'sequential', true);
    FOR plan IN SELECT * FROM distribution d ORDER BY d.placement <> 'reference', d.depth, d.relation::text LOOP
        IF plan.placement = 'reference' THEN
            EXECUTE 'SELECT create_reference_table($1)' USING plan.relation;
        ELSE
            EXECUTE 'SELECT create_distributed_table($1, $2::text, colocate_with => $3)'
                USING plan.relation, plan.attribute, CASE WHEN plan.depth = 0 THEN 'none' ELSE 'public.dblp' END;
        END IF;
    END LOOP;
    FOR plan IN SELECT * FROM distribution LOOP
        -- The rows are on the shards now; remove the coordinator's own.
        EXECUTE 'SELECT truncate_local_data_after_distributing_table($1)' USING plan.relation;
    END LOOP;
    FOREACH statement IN ARRAY coalesce(kept_adds, '{}') LOOP
        EXECUTE statement;
    END LOOP;
    PERFORM record_grants(ARRAY(SELECT d.relation FROM distribution d));
    DROP TABLE distribution;
END
$$;
COMMENT ON FUNCTION distribute_documents(integer) IS
'Distribute the tables of documents with Citus, and drop keys and triggers that it does not support';
