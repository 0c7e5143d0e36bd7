-- restricted_database: return true if the collection can change the rights of PUBLIC in this database: stcollection
-- created the database (its comment says so), or the upgrade runs with --restrict (stc.restrict). In other databases,
-- other applications may depend on them.
CREATE OR REPLACE FUNCTION restricted_database() RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
BEGIN ATOMIC
    SELECT coalesce(shobj_description(d.oid, 'pg_database') LIKE 'stcollection%', false)
           OR coalesce(current_setting('stc.restrict', true), '') = 'on'
      FROM pg_database d WHERE d.datname = current_database();
END;
COMMENT ON FUNCTION restricted_database() IS
'True if the collection can change the rights of PUBLIC in this database';
