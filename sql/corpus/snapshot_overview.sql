-- snapshot_overview: one row per snapshot: its files, its documents, how many of them are new, and how many documents
-- of the previous snapshot are gone.
CREATE OR REPLACE FUNCTION snapshot_overview()
RETURNS TABLE (day date, files bigint, documents bigint, added bigint, removed bigint)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc, public, pg_temp
AS $$
    WITH days AS (
        SELECT s.day, count(*) AS files, lag(s.day) OVER (ORDER BY s.day) AS before
          FROM corpus_snapshots s GROUP BY s.day
    ), spans AS MATERIALIZED (
        SELECT f.first_date, f.last_date, count(*) AS documents
          FROM dblp_facts f WHERE f.first_date IS NOT NULL GROUP BY f.first_date, f.last_date
    )
    SELECT d.day, d.files,
           coalesce(sum(s.documents) FILTER (WHERE d.day BETWEEN s.first_date AND s.last_date), 0)::bigint,
           coalesce(sum(s.documents) FILTER (WHERE s.first_date = d.day), 0)::bigint,
           coalesce(sum(s.documents) FILTER (WHERE s.last_date = d.before), 0)::bigint
      FROM days d LEFT JOIN spans s ON true
     GROUP BY d.day, d.files, d.before
     ORDER BY d.day
$$;
COMMENT ON FUNCTION snapshot_overview() IS
'Snapshots with the numbers of their files and documents, and of documents added and removed since the previous one';
