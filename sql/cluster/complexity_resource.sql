-- complexity_resource: return the key in complexity_resources of the libraries and data that compute readability; add a
-- row if they are new. complexity/complexity_resource.sql is for one server; here the key is no identity column.
CREATE OR REPLACE FUNCTION complexity_resource(versions jsonb, files jsonb, fingerprint text)
RETURNS integer
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    key integer;
BEGIN
    LOOP
        SELECT r.id INTO key FROM complexity_resources r WHERE r.fingerprint = complexity_resource.fingerprint;
        EXIT WHEN FOUND;
        INSERT INTO complexity_resources (id, versions, files, fingerprint)
        SELECT coalesce(max(r.id), 0) + 1, complexity_resource.versions, complexity_resource.files,
               complexity_resource.fingerprint
          FROM complexity_resources r
        ON CONFLICT DO NOTHING;
    END LOOP;
    RETURN key;
END
$$;
COMMENT ON FUNCTION complexity_resource(jsonb, jsonb, text) IS
'Key of the libraries and data that compute readability; adds them if they are new';
