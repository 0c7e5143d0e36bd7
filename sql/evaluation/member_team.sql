-- member_team: team of the current role, for score requests. Raises IR410 if it has none.
CREATE OR REPLACE FUNCTION member_team() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF my_team() IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR410',
            MESSAGE = format('%s is not a member of a team; only teams can request scores', current_user),
            HINT = 'Organisers can score every run: stc score.';
    END IF;
    RETURN my_team();
END
$$;
COMMENT ON FUNCTION member_team() IS 'The team of the current role; raises IR410 if it has none';
