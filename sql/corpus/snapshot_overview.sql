-- snapshot_overview: one row per snapshot: its files, its documents, how many of them are not in the previous snapshot,
-- and how many documents of the previous snapshot are gone. Documents that are not from a snapshot are not counted.
CREATE OR REPLACE FUNCTION snapshot_overview()
RETURNS TABLE (day date, files bigint, documents bigint, added bigint, removed bigint)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    WITH days AS (
        SELECT s.day, count(*) AS files, lag(s.day) OVER (ORDER BY s.day) AS before
          FROM corpus_snapshots s GROUP BY s.day
    ), spans AS MATERIALIZED (
        SELECT f.first_date, f.last_date, f.absent, count(*) AS documents
          FROM dblp_facts f WHERE f.first_date IS NOT NULL GROUP BY f.first_date, f.last_date, f.absent
    ), counted AS (
        SELECT d.day, d.files, s.documents, in_snapshot(s.first_date, s.last_date, s.absent, d.day) AS present,
               d.before IS NOT NULL AND in_snapshot(s.first_date, s.last_date, s.absent, d.before) AS was_present
          FROM days d LEFT JOIN spans s ON true
    )
    SELECT c.day, c.files,
           coalesce(sum(c.documents) FILTER (WHERE c.present), 0)::bigint,
           coalesce(sum(c.documents) FILTER (WHERE c.present AND NOT c.was_present), 0)::bigint,
           coalesce(sum(c.documents) FILTER (WHERE c.was_present AND NOT c.present), 0)::bigint
      FROM counted c
     GROUP BY c.day, c.files
     ORDER BY c.day
$$;
COMMENT ON FUNCTION snapshot_overview() IS
'Snapshots with the numbers of their files and documents, and of documents added and removed since the previous one';
