-- fusion_check: check the arguments of a fusion. Raises IR202 for an unknown method or norm, or an invalid constant.
CREATE OR REPLACE FUNCTION fusion_check(method text, norm text, constant integer)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF fusion_check.method IS NULL OR fusion_check.method NOT IN ('rrf', 'sum', 'mnz') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('unknown fusion method %L', fusion_check.method),
            HINT = 'Use rrf (reciprocal ranks), sum (of normalised scores) or mnz (sum times the number of rankings '
                         'with the document).';
    ELSIF fusion_check.norm IS NULL OR fusion_check.norm NOT IN ('minmax', 'zscore', 'rank', 'none') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('unknown norm %L', fusion_check.norm),
            HINT = 'Use minmax, zscore, rank or none.';
    ELSIF fusion_check.constant IS NULL OR fusion_check.constant < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the constant is %s', coalesce(fusion_check.constant::text, 'NULL')),
            HINT = 'constant must be 0 or more; 60 is usual.';
    END IF;
END
$$;
COMMENT ON FUNCTION fusion_check(text, text, integer) IS
'Raise an error unless method, norm and constant of a fusion are valid';
