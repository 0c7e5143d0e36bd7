-- run_list: the runs that a text names: one by its name, several as an array is written ('{bm25,dense}'; '{}' for all).
-- NULL for NULL.
--
-- PostgreSQL takes a quoted word for text where a function accepts text and text[]. A run whose name is in braces is
-- named in an ARRAY.
CREATE OR REPLACE FUNCTION run_list(runs text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN runs IS NULL THEN NULL WHEN runs ~ '^\{.*\}$' THEN runs::text[] ELSE ARRAY[runs] END;
COMMENT ON FUNCTION run_list(text) IS 'The runs that a text names: one by its name, several as ''{bm25,dense}''';
