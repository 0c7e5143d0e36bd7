-- rankings_as_of: the first documents of a run for each query, as if the collection had been its snapshot of a day
-- (YYYY-MM-DD): docnos in the stored order, without documents that are not in the snapshot (in_snapshot). A query
-- without such documents is omitted. depth: maximum number of documents per query.
--
-- Raises IR101 no such run, IR201 depth below 1; IR202 and IR405 as snapshot_at.
CREATE OR REPLACE FUNCTION rankings_as_of(run text, day text, depth integer DEFAULT 1000)
RETURNS TABLE (query text, docnos text[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    snapshot CONSTANT date := snapshot_at(rankings_as_of.day);
    run_id CONSTANT integer := (run_keys(ARRAY[rankings_as_of.run]))[1];
BEGIN
    IF rankings_as_of.depth IS NULL OR rankings_as_of.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('the depth is %s', coalesce(rankings_as_of.depth::text, 'NULL')),
            HINT = 'The depth is the number of documents per query; it must be 1 or more.';
    END IF;
    RETURN QUERY
    SELECT q.query, (array_agg(d.docno ORDER BY s.rank))[:rankings_as_of.depth]
      FROM st1_rankings s
      JOIN dblp_facts f ON f.id = s.doc AND in_snapshot(f.first_date, f.last_date, f.absent, snapshot)
      JOIN dblp d ON d.id = s.doc
      JOIN st1_queries q ON q.id = s.query
     WHERE s.run = run_id
     GROUP BY q.query;
END
$$;
COMMENT ON FUNCTION rankings_as_of(text, text, integer) IS
'First documents of a run for each query, as if the collection had been its snapshot of a day';
