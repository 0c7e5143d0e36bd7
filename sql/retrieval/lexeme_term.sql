-- lexeme_term: the tsquery that finds a lexeme, whatever characters it has. In a tsquery a quoted lexeme doubles its
-- quotes and backslashes.
CREATE OR REPLACE FUNCTION lexeme_term(lexeme text)
RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery;
COMMENT ON FUNCTION lexeme_term(text) IS 'The tsquery that finds a lexeme';
