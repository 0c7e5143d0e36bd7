-- text_fingerprint: SHA-256 of a document's title, a line feed and its abstract, in UTF-8 and hexadecimal. NULL is an
-- empty text. Bundles name texts by it. Without a search path, so that it is inlined.
CREATE OR REPLACE FUNCTION text_fingerprint(title text, abstract text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT encode(sha256(convert_to(coalesce(title, '') || E'\n' || coalesce(abstract, ''), 'UTF8')), 'hex')
$$;
COMMENT ON FUNCTION text_fingerprint(text, text) IS
    'SHA-256 of title, line feed and abstract of a document, in hexadecimal';
