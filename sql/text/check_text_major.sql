-- check_text_major: raise IR401 if another major version of PostgreSQL built the text index. Searches call it.
--
-- Stemmers differ between major versions (text_index_outdated), so words would be missed without an error.
CREATE OR REPLACE FUNCTION check_text_major() RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    here CONSTANT integer := current_setting('server_version_num')::integer / 10000;
    built integer;
BEGIN
    SELECT i.server_major INTO built FROM text_index i;
    IF built <> here THEN
        RAISE EXCEPTION USING ERRCODE = 'IR401',
            MESSAGE = format('the text index is stale: PostgreSQL %s built it, and this server is PostgreSQL %s with '
                             'other stemmers', built, here),
            HINT = 'Rebuild it: stc index.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_text_major() IS 'Raise an error if another major version of PostgreSQL built the text index';
