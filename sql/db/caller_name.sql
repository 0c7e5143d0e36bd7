-- caller_name: the role of the caller, even inside a function that runs with its owner's rights, where current_user is
-- the owner.
CREATE OR REPLACE FUNCTION caller_name() RETURNS name
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
    SELECT coalesce(nullif(current_setting('role'), 'none'), session_user)::name
$$;
COMMENT ON FUNCTION caller_name() IS 'Role of the caller, even inside a function that runs with its owner''s rights';
