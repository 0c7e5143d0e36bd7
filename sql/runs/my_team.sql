-- my_team: team of the current role; NULL if it has no team, or may not read teams. After SET ROLE, that is the new
-- role.
--
-- The row policy of stc_members returns a role its own row, also to functions that VACUUM or REINDEX run for the owner
-- of a table. EXECUTE is granted to PUBLIC, because row-level security policies call it.
CREATE OR REPLACE FUNCTION public.my_team() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF has_schema_privilege('stc', 'USAGE') AND has_table_privilege('stc.stc_members', 'SELECT') THEN
        RETURN (SELECT m.team FROM stc.stc_members m WHERE m.member = current_user::text COLLATE "C");
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION public.my_team() IS 'The team of the current role; NULL if it has no team';
