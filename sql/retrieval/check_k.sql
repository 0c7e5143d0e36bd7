-- check_k: raise an error unless k, the number of documents to return, is 1 or more. Search functions call it.
--
-- Raises IR201.
CREATE OR REPLACE FUNCTION check_k(k integer)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF check_k.k IS NULL OR check_k.k < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('k is %s', coalesce(check_k.k::text, 'NULL')),
            HINT = 'k is the maximum number of documents to return, 1 or more.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_k(integer) IS 'Raise an error unless k, the number of documents to return, is 1 or more';
