-- query_to_embed: what of a query's text its vector is made of: all of it, but without words behind a minus and without
-- the plus signs where it has such (+women +computer -games), as bm25_search reads it. A vector knows no "not": games
-- would draw games. All of it where nothing else is left.
CREATE OR REPLACE FUNCTION query_to_embed(query text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc, public, pg_temp
AS $$
BEGIN
    IF query_to_embed.query ~ '(?<!\S)[-+][[:alnum:]"]' THEN
        RETURN coalesce(substring(scored_words(query_to_embed.query) FROM '\S(?:.*\S)?'), query_to_embed.query);
    END IF;
    RETURN query_to_embed.query;
END
$$;
COMMENT ON FUNCTION query_to_embed(text) IS
'What of a query''s text its vector is made of: words behind a minus and plus signs left out';
