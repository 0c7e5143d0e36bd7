-- typed_vector: convert a quoted literal ('[0.1,0.2,…]') to a vector; NULL for NULL.
--
-- PostgreSQL resolves a quoted literal as text if a function accepts text and vector. Therefore searches on vectors
-- have a second signature for text, which calls this function.
--
-- function_name: name of the search, for the message.
-- Raises IR202 any other text: words must be embedded first.
CREATE OR REPLACE FUNCTION typed_vector(query text, function_name text) RETURNS vector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF typed_vector.query !~ '^\s*\[' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s needs a vector, got the text %s', typed_vector.function_name,
                             shown_name(typed_vector.query)),
            HINT = format('Embed the words first: %s(embed_query(''…'')).', typed_vector.function_name);
    END IF;
    RETURN typed_vector.query::vector;
END
$$;
COMMENT ON FUNCTION typed_vector(text, text) IS
'Convert a quoted literal to a vector; raises IR202 for words, which embed_query converts';
