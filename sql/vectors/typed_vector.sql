-- typed_vector: the vector that a quoted literal stands for ('[0.1,0.2,…]'); NULL for NULL. A search that takes a
-- vector has a signature for text too, which reads its argument with this, since PostgreSQL takes a quoted literal for
-- text where both fit.
--
-- function_name: the search, for the message.
-- Raises IR202 another text: words are embedded first.
CREATE OR REPLACE FUNCTION typed_vector(query text, function_name text) RETURNS vector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
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
'The vector of a quoted literal; raises IR202 for words, which embed_query embeds';
