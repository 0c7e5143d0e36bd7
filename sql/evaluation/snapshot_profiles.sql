-- snapshot_profiles: judged_profiles for the documents of a snapshot: grades that an edition gives them for each query,
-- highest first. Queries without such judgments are omitted. day: the date of the snapshot (snapshot_at), as text.
CREATE OR REPLACE FUNCTION snapshot_profiles(edition integer, queries integer[], day text)
    RETURNS TABLE (query integer, rels smallint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    snapshot CONSTANT date := snapshot_profiles.day;
BEGIN
    RETURN QUERY
    SELECT j.query, array_agg(j.rel::smallint ORDER BY j.rel DESC)
      FROM qrels j
      JOIN dblp_facts f ON f.id = j.doc AND in_snapshot(f.first_date, f.last_date, f.absent, snapshot)
     WHERE j.edition = snapshot_profiles.edition AND j.query = ANY (snapshot_profiles.queries)
     GROUP BY j.query;
END
$$;
COMMENT ON FUNCTION snapshot_profiles(integer, integer[], text) IS
'Grades that an edition gives the documents of a snapshot for each query, highest first';
