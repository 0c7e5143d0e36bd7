-- corpus_changes_between: the documents that were added to the collection, or removed from it, between two days.
--
-- earlier, later: days (YYYY-MM-DD); their snapshots are the last ones up to them (snapshot_at, which raises errors).
-- change: added (in the later snapshot, not in the earlier; new or returned) or removed (the reverse). Documents that
-- are not from a snapshot do not change. Raises IR202 if later is before earlier.
CREATE OR REPLACE FUNCTION public.corpus_changes_between(earlier text, later text)
RETURNS TABLE (change text, doc bigint, docno text, title text, first_date date, last_date date)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    first date := snapshot_at(corpus_changes_between.earlier);
    last date := snapshot_at(corpus_changes_between.later);
BEGIN
    IF last < first THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%s is before %s', later, earlier),
            HINT = 'Give the earlier date first.';
    END IF;
    RETURN QUERY
    SELECT CASE WHEN in_snapshot(f.first_date, f.last_date, f.absent, last) THEN 'added' ELSE 'removed' END, b.id,
           b.docno, t.title, f.first_date, f.last_date
      FROM dblp_facts f
      JOIN dblp b ON b.id = f.id
      LEFT JOIN dblp_text t ON t.id = f.id
     WHERE in_snapshot(f.first_date, f.last_date, f.absent, first)
           <> in_snapshot(f.first_date, f.last_date, f.absent, last)
     ORDER BY 1, b.docno;
END
$$;
COMMENT ON FUNCTION public.corpus_changes_between(text, text) IS
'Documents that were added to the collection, or removed from it, between two days';
