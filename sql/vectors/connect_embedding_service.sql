-- connect_embedding_service: names the embedding service that embed_query calls, and makes the extension http
-- (pgsql-http) where it is not there. For the owner of the collection; 'stc serve' does it.
--
--   CALL connect_embedding_service('http://127.0.0.1:8765');
--
-- The extension goes into a schema of its own, stc_http, and nobody else may execute its functions: with them any role
-- could have the server fetch any address it reaches. Where the extension is there already it stays where it is, and
-- its functions are revoked from PUBLIC as well. Only the owner of stc_settings writes the address.
-- Raises IR202 no such address, IR404 the server does not have pgsql-http 1.7, or this role may not create it.
CREATE OR REPLACE PROCEDURE public.connect_embedding_service(url text)
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
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
                HINT = 'Install it there (Debian: postgresql-18-http); without it, embed queries by ''stc vectors '
                       'embed''.';
        END IF;
        BEGIN
            CREATE SCHEMA IF NOT EXISTS stc_http;
            EXECUTE format('CREATE EXTENSION http SCHEMA stc_http VERSION %L', offered);
            COMMENT ON SCHEMA stc_http IS 'pgsql-http, for embed_query alone: nobody else may execute its functions';
        EXCEPTION WHEN insufficient_privilege THEN
            RAISE EXCEPTION USING ERRCODE = 'IR404',
                MESSAGE = format('the extension http is not in this database, and %s may not create it', current_user),
                HINT = 'Have a superuser run this once: CALL connect_embedding_service(…).';
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
    IF to_regrole('stc_owner') IS NOT NULL THEN  -- whose embed_query is
        PERFORM grant_rights();
    END IF;
    INSERT INTO stc_settings (name, value) VALUES ('embedding_url', address)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE stc_settings.value <> excluded.value;
END
$$;
COMMENT ON PROCEDURE public.connect_embedding_service(text) IS
'Names the embedding service that embed_query calls; makes the extension http and keeps it from everybody else';
