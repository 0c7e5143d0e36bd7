-- check_effort: raise IR202 if a search effort (knn) is out of range; NULL is the default effort of the index.
CREATE OR REPLACE FUNCTION check_effort(effort integer)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF check_effort.effort NOT BETWEEN 0 AND 32768 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('effort is %s', check_effort.effort),
            HINT = 'Use 1 to 32,768 (probes, ef_search, search_list_size), or 0 for an exact search.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_effort(integer) IS 'Raise an error if a search effort is out of range';
