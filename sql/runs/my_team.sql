-- my_team: the team of who calls, NULL where there is none. By SET ROLE one is who one became.
--
-- SECURITY DEFINER, since policies ask it for roles that may not read stc_members; there current_user is the owner, so
-- it is told from the session. Every role may call it (EXECUTE for PUBLIC), since policies of row security do.
--
-- Safe because: it has no argument and returns the caller's own team.
CREATE OR REPLACE FUNCTION public.my_team() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    SELECT m.team FROM stc_members m WHERE m.member = caller_name() COLLATE "C"
$$;
COMMENT ON FUNCTION public.my_team() IS 'The team of who calls; NULL: of none';
