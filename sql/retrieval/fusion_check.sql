-- fusion_check: the arguments that say how to fuse. Raises IR202 for a method, norm or constant that is none.
CREATE OR REPLACE FUNCTION fusion_check(method text, norm text, constant integer)
RETURNS void
LANGUAGE plpgsql IMMUTABLE
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    IF fusion_check.method IS NULL OR fusion_check.method NOT IN ('rrf', 'sum', 'mnz') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('there is no fusion %L', fusion_check.method),
            HINT = 'There are rrf (reciprocal ranks), sum (of normed scores) and mnz (sum times how many rankings '
                   'agree).';
    ELSIF fusion_check.norm IS NULL OR fusion_check.norm NOT IN ('minmax', 'zscore', 'rank', 'none') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('there is no norm %L', fusion_check.norm),
            HINT = 'There are minmax, zscore, rank and none.';
    ELSIF fusion_check.constant IS NULL OR fusion_check.constant < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the constant is %s', coalesce(fusion_check.constant::text, 'NULL')),
            HINT = 'It is 0 or more; 60 is usual.';
    END IF;
END
$$;
COMMENT ON FUNCTION fusion_check(text, text, integer) IS 'Raise unless method, norm and constant say how to fuse';
