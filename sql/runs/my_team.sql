-- my_team: team of the caller; NULL if the caller has no team. After SET ROLE, the caller is the new role.
--
-- SECURITY DEFINER, because policies call it for roles that may not read stc_members. Inside, current_user is the
-- owner, so the caller is determined from the session. EXECUTE is granted to PUBLIC, because row-level security
-- policies call it.
--
-- Safe because: it has no argument and returns only the caller's own team.
CREATE OR REPLACE FUNCTION public.my_team() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    SELECT m.team FROM stc_members m WHERE m.member = caller_name() COLLATE "C"
$$;
COMMENT ON FUNCTION public.my_team() IS 'The team of the caller; NULL if the caller has no team';
