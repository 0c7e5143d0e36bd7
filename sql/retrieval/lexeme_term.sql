-- lexeme_term: the tsquery that matches a lexeme, for any characters. A quoted lexeme in a tsquery doubles its quotes
-- and backslashes.
CREATE OR REPLACE FUNCTION lexeme_term(lexeme text)
RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery;
COMMENT ON FUNCTION lexeme_term(text) IS 'The tsquery that matches a lexeme';
