-- documents_as_of: the documents that were in the collection on a day (YYYY-MM-DD), with the dates of the first and
-- last snapshot that contain them. Documents that are not from a snapshot are in the collection on every day.
--
-- The snapshot of a day is the last one up to it. A document that left the collection and came back is not in the
-- snapshots in between (in_snapshot). Title and abstract are those stored now.
-- Raises IR202 and IR405 as snapshot_at.
CREATE OR REPLACE FUNCTION public.documents_as_of(day text)
RETURNS TABLE (doc bigint, docno text, title text, abstract text, year integer, venue text, first_date date,
               last_date date)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
SET plan_cache_mode = force_custom_plan  -- the share of the documents depends on the day
AS $$
#variable_conflict use_column
DECLARE
    snapshot CONSTANT date := snapshot_at(documents_as_of.day);
BEGIN
    RETURN QUERY
    SELECT b.id, b.docno, t.title, t.abstract, f.year, f.venue, f.first_date, f.last_date
      FROM dblp_facts f
      JOIN dblp b ON b.id = f.id
      LEFT JOIN dblp_text t ON t.id = f.id
     WHERE in_snapshot(f.first_date, f.last_date, f.absent, snapshot);
END
$$;
COMMENT ON FUNCTION public.documents_as_of(text) IS
'Documents that were in the collection on a day (YYYY-MM-DD), by the last snapshot up to that day';
