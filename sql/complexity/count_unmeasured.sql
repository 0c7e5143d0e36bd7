-- count_unmeasured: the number of abstracts, of abstracts without readability measures (lacking), and of abstracts
-- measured with other resources than these (otherwise).
--
-- A set of one row: PostgreSQL uses no workers inside an SQL function that returns a single value.
CREATE OR REPLACE FUNCTION count_unmeasured(resources integer)
RETURNS TABLE (abstracts bigint, lacking bigint, otherwise bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
SET search_path = stc_all, stc, public, pg_temp
AS $$
    SELECT count(*), count(*) FILTER (WHERE m.id IS NULL),
           count(*) FILTER (WHERE m.id IS NOT NULL AND m.resources IS DISTINCT FROM count_unmeasured.resources)
      FROM dblp_text t LEFT JOIN st1_complexity_metrics m ON m.id = t.id
     WHERE t.abstract ~ '\S';
$$;
COMMENT ON FUNCTION count_unmeasured(integer) IS
'Number of abstracts: all, not measured, measured with other resources';
