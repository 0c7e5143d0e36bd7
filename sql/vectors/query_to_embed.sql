-- query_to_embed: the part of a query's text to embed: all of it, except words after a minus and the plus signs
-- (+women +computer -games), as bm25_search reads them.
--
-- A vector cannot express "not": embedding games would attract games. If nothing else is left, all of the text is
-- embedded.
CREATE OR REPLACE FUNCTION query_to_embed(query text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    IF query_to_embed.query ~ '(?<!\S)[-+][[:alnum:]"]' THEN
        RETURN coalesce(substring(scored_words(query_to_embed.query) FROM '\S(?:.*\S)?'), query_to_embed.query);
    END IF;
    RETURN query_to_embed.query;
END
$$;
COMMENT ON FUNCTION query_to_embed(text) IS
'Part of a query''s text to embed: without plus signs and words after a minus';
