-- plain_model: the name of a model to compare with others: lower case, without what precedes the last slash, words
-- joined by hyphens: openai/GPT_4o:latest gives gpt-4o-latest.
CREATE OR REPLACE FUNCTION plain_model(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp
RETURN trim('-' FROM regexp_replace(lower(regexp_replace(plain_model.name, '^.*/', '')), '[^a-z0-9.]+', '-', 'g'));
COMMENT ON FUNCTION plain_model(text) IS 'The name of a model, spelt for comparison with others';
