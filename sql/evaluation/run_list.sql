-- run_list: array of run names from text: one name, or several written as an array ('{bm25,dense}'; '{}' for all). NULL
-- for NULL.
--
-- Needed because PostgreSQL resolves a quoted literal to text if a function accepts text and text[]. A run whose name
-- is in braces must be passed in an ARRAY.
CREATE OR REPLACE FUNCTION run_list(runs text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN runs IS NULL THEN NULL WHEN runs ~ '^\{.*\}$' THEN runs::text[] ELSE ARRAY[runs] END;
COMMENT ON FUNCTION run_list(text) IS
    'Array of run names from text: one name, or several as ''{bm25,dense}''; NULL for NULL';
