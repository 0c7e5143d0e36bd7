-- impact_word: the word of impact_text for a dimension of a sparsevec, from 1: its digits as letters, and a
-- space. The parser of PostgreSQL reads digits as numbers.
CREATE OR REPLACE FUNCTION impact_word(term text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN translate(term, '0123456789', 'abcdefghij') || ' ';
COMMENT ON FUNCTION impact_word(text) IS 'Word of impact_text for a dimension of a sparsevec';
