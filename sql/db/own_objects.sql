-- own_objects: gives the objects of the collection to the role stc_owner, which nobody logs in as: its tables with their partitions
-- (stc_rights), dblp_id_seq, and what the files of sql/ make (stc_objects), functions by their full signature. What belongs to it already
-- stays untouched; so does what is the user's. Returns how many were given.
--
-- For who may: a superuser, or a member of stc_owner who owns the objects.
CREATE OR REPLACE FUNCTION own_objects() RETURNS integer
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    new_owner CONSTANT oid := 'stc_owner'::regrole;
    given integer := 0;
    statement text;
BEGIN
    IF NOT has_schema_privilege('stc_owner', 'public', 'CREATE') THEN  -- else it cannot be given anything there
        GRANT USAGE, CREATE ON SCHEMA public TO stc_owner;
    END IF;
    FOREACH statement IN ARRAY ARRAY(
        WITH wanted AS (
            SELECT to_regclass(format('public.%I', r.relation))::oid AS oid FROM stc_rights() r
             UNION SELECT to_regclass('public.dblp_id_seq')
             UNION SELECT to_regclass(format('public.%I', split_part(c.one, ' ', 2)))
                     FROM stc_objects o, unnest(o.creates) AS c (one) WHERE c.one LIKE 'view %'
             UNION SELECT i.inhrelid FROM pg_inherits i JOIN stc_rights() r ON i.inhparent = to_regclass(format('public.%I', r.relation)))
        SELECT format('ALTER %s %s OWNER TO stc_owner', CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
                      c.oid::regclass)
          FROM wanted w JOIN pg_class c ON c.oid = w.oid
         WHERE c.relowner <> new_owner AND c.relkind IN ('r', 'p', 'v', 'S')
         UNION ALL
        SELECT format('ALTER ROUTINE %s OWNER TO stc_owner', p.oid::regprocedure)
          FROM pg_proc p
         WHERE p.pronamespace = 'public'::regnamespace AND p.proowner <> new_owner
           AND p.oid IN (SELECT to_regprocedure(substr(s.one, strpos(s.one, ' ') + 1))
                           FROM stc_objects o, unnest(o.signatures) AS s (one) WHERE s.one ~ '^(function|procedure|aggregate) '))
    LOOP
        RAISE DEBUG 'stc: %', statement;  -- for --dry-run
        EXECUTE statement;
        given := given + 1;
    END LOOP;
    RETURN given;
END
$$;
COMMENT ON FUNCTION own_objects() IS 'Gives the objects of the collection to the role stc_owner; returns how many were not its own';
