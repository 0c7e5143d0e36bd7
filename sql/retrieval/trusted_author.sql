-- trusted_author: true if the current role may run code of a role. A function runs with the rights of whoever calls it,
-- so its owner could use these rights.
--
-- Trusted are the role itself, superusers and owners of the collection; organisers are trusted by all roles except
-- owners and superusers, who can do more than they can. The owner of the database owns the schema public.
CREATE OR REPLACE FUNCTION trusted_author(author oid) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT coalesce(bool_or(
               a.rolname IN (current_user, 'pg_database_owner') OR a.rolsuper
               OR pg_has_role(a.oid, t.relowner, 'MEMBER')
               OR pg_has_role(a.oid, to_regrole('stc_organiser'), 'MEMBER')
                  AND NOT pg_has_role(t.relowner, 'MEMBER')), false)
      FROM pg_roles a CROSS JOIN pg_class t
     WHERE a.oid = trusted_author.author AND t.oid = 'stc.own_systems'::regclass
$$;
COMMENT ON FUNCTION trusted_author(oid) IS
'Whether the current role may run code of a role: its own, or of a role with rights';
