-- shown_relation: the name of a table, sequence or view of the collection, with the schema only if it is stc_all, where
-- names are those of relations in the other schemas, or if it is a view of stc that a view of public reads by name.
CREATE OR REPLACE FUNCTION shown_relation(relation oid) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT CASE WHEN n.nspname = 'stc_all' THEN 'stc_all.'
                WHEN n.nspname = 'stc' AND c.relkind = 'v'
                     AND to_regclass(format('public.%I', c.relname)) IS NOT NULL THEN 'stc.' ELSE '' END || c.relname
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = shown_relation.relation
$$;
COMMENT ON FUNCTION shown_relation(oid) IS
    'Name of a relation of the collection, with its schema if another one has the name';
