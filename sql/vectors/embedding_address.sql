-- embedding_address: normalise the address of an embedding service: http://host:port with an optional path, without a
-- trailing slash.
--
-- Only http is allowed, so that call_embedding_service can hold every request to that one host; use a tunnel (ssh -L)
-- for a remote service. User name, password, query and fragment are not allowed.
-- Raises IR202 an invalid address.
CREATE OR REPLACE FUNCTION embedding_address(url text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF embedding_address.url ~*
            '^http://([a-z0-9]([a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?(/[a-z0-9._~/-]*)?$' THEN
        RETURN rtrim(embedding_address.url, '/');
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR202',
        MESSAGE = format('%L cannot be the address of an embedding service', left(embedding_address.url, 80)),
        HINT = 'Use an address such as http://127.0.0.1:8765; ''stc serve embeddings'' registers its own.';
END
$$;
COMMENT ON FUNCTION embedding_address(text) IS
'Normalise the address of an embedding service: http://host:port[/path]';
