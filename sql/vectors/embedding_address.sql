-- embedding_address: the address of an embedding service as it is kept and called: http://host:port, perhaps with a
-- path, without a slash at the end.
--
-- http alone, so that call_embedding_service can hold every request to that one host; a service elsewhere is reached
-- through a tunnel (ssh -L). Neither user name nor password, query or fragment.
-- Raises IR202 it is no such address.
CREATE OR REPLACE FUNCTION embedding_address(url text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    IF embedding_address.url ~*
            '^http://([a-z0-9]([a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?(/[a-z0-9._~/-]*)?$' THEN
        RETURN rtrim(embedding_address.url, '/');
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'IR202',
        MESSAGE = format('%L cannot be the address of an embedding service', left(embedding_address.url, 80)),
        HINT = 'It is like http://127.0.0.1:8765; ''stc serve'' registers its own.';
END
$$;
COMMENT ON FUNCTION embedding_address(text) IS
'The address of an embedding service as it is kept: http://host:port[/path]';
