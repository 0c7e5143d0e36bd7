-- product_systems: the retrieval systems of the product, one row each, in the order of systems.toml, which explains the
-- columns. The installer replaces the name of the file with its content, as JSON. The view systems has the users' too.
--
-- There is no SET search_path, so that PostgreSQL inlines the function and evaluates only the columns that are used.
CREATE OR REPLACE FUNCTION product_systems()
RETURNS TABLE (place integer, system text, title text, call text, reads text[], needs text[], finds text, hint text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT s.ordinality::integer, s.system, s.title, s.call, s.reads, coalesce(s.needs, '{}'), s.finds, s.hint
      FROM (SELECT 'systems.toml'::jsonb) AS f (file)
     CROSS JOIN LATERAL ROWS FROM (jsonb_to_recordset(f.file -> 'systems') AS (
           system text, title text, call text, reads text[], needs text[], finds text, hint text))
      WITH ORDINALITY AS s
$$;
COMMENT ON FUNCTION product_systems() IS
'Retrieval systems of the product: names, labels, calls of their functions, and what they read and need';
