-- own_objects: make the role stc_owner, which nobody logs in as, the owner of the schemas stc and stc_all and of the
-- collection's objects (collection_objects). Other objects do not change. Returns the number of objects whose owner
-- changed.
--
-- The caller must be a superuser, or a member of stc_owner who owns the objects.
CREATE OR REPLACE FUNCTION own_objects() RETURNS integer
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    new_owner CONSTANT oid := 'stc_owner'::regrole;
    given integer := 0;
    statement text;
BEGIN
    IF NOT has_schema_privilege('stc_owner', 'public', 'CREATE') THEN  -- required of the new owner
        GRANT USAGE, CREATE ON SCHEMA public TO stc_owner;
    END IF;
    FOREACH statement IN ARRAY ARRAY(
        SELECT format('ALTER SCHEMA %I OWNER TO stc_owner', n.nspname)
          FROM pg_namespace n WHERE n.nspname IN ('stc', 'stc_all') AND n.nspowner <> new_owner
         UNION ALL
        SELECT format('ALTER %s %s OWNER TO stc_owner', o.kind,
                      CASE o.kind WHEN 'ROUTINE' THEN o.oid::regprocedure::text ELSE o.oid::regclass::text END)
          FROM collection_objects() o
         -- the sequence of an identity column changes its owner with the table
         WHERE o.owner <> new_owner AND NOT (o.kind = 'SEQUENCE' AND o.part_of IS NOT NULL))
    LOOP
        RAISE DEBUG 'stc: %', statement;  -- for --dry-run
        EXECUTE statement;
        given := given + 1;
    END LOOP;
    RETURN given;
END
$$;
COMMENT ON FUNCTION own_objects() IS
'Make stc_owner the owner of the collection''s objects; returns the number changed';
