-- connect_embedding_service: set the address of the embedding service that embed_query calls, and create the extension
-- http (pgsql-http) if it is missing. Only the owner of the collection can call it; 'stc serve embeddings' does.
--
--   CALL connect_embedding_service('http://127.0.0.1:8765');
--
-- The extension gets its own schema, stc_http, and no other role can execute its functions: with them any role could
-- make the server request any address it can reach. An existing extension stays where it is, and its functions are
-- revoked from PUBLIC as well. Only the owner of stc_settings can write the address.
-- Raises IR202 an invalid address, IR404 the server does not provide pgsql-http 1.7, or this role cannot create it.
CREATE OR REPLACE PROCEDURE public.connect_embedding_service(url text)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
    address text := embedding_address(connect_embedding_service.url);
    offered text;
    called text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'http') THEN
        SELECT v.version INTO offered FROM pg_available_extension_versions v
         WHERE v.name = 'http' AND string_to_array(v.version, '.')::integer[] >= '{1,7}'
         ORDER BY string_to_array(v.version, '.')::integer[] DESC LIMIT 1;
        IF offered IS NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'IR404',
                MESSAGE = 'this server does not have the extension http 1.7 (pgsql-http)',
                HINT = 'Install it on the server (Debian: postgresql-18-http), or embed queries with '
                       '''stc vectors embed''.';
        END IF;
        BEGIN
            CREATE SCHEMA IF NOT EXISTS stc_http;
            EXECUTE format('CREATE EXTENSION http SCHEMA stc_http VERSION %L', offered);
            COMMENT ON SCHEMA stc_http IS 'pgsql-http for embed_query; no other role can execute its functions';
        EXCEPTION WHEN insufficient_privilege THEN
            RAISE EXCEPTION USING ERRCODE = 'IR404',
                MESSAGE = format('the extension http is not in this database, and %s may not create it', current_user),
                HINT = 'Ask a superuser to run this once: CALL connect_embedding_service(…).';
        END;
    END IF;
    FOR called IN
        SELECT p.oid::regprocedure::text
          FROM pg_extension e
          JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
          JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
         WHERE e.extname = 'http' AND has_function_privilege('public', p.oid, 'EXECUTE')
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', called);
    END LOOP;
    IF to_regrole('stc_owner') IS NOT NULL THEN  -- the owner of embed_query
        PERFORM grant_rights();
    END IF;
    INSERT INTO stc_settings (name, value) VALUES ('embedding_url', address)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE stc_settings.value <> excluded.value;
END
$$;
COMMENT ON PROCEDURE public.connect_embedding_service(text) IS
'Set the address of the embedding service that embed_query calls; creates the extension http for the owner only';
