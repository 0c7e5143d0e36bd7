-- snapshot_subtopic_profiles: subtopic_profiles for the documents of a snapshot. Queries without subtopic judgments of
-- these documents are omitted. day: the date of the snapshot (snapshot_at), as text.
CREATE OR REPLACE FUNCTION snapshot_subtopic_profiles(edition integer, queries integer[], day text)
RETURNS TABLE (query integer, rels smallint[], numbers smallint[], subtopics smallint[], grades smallint[],
               sizes integer[])
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT p.*
      FROM subtopic_profiles(snapshot_subtopic_profiles.edition, snapshot_subtopic_profiles.queries,
                             snapshot_subtopic_profiles.day::date) p
     WHERE EXISTS (SELECT FROM subtopic_judgments(snapshot_subtopic_profiles.edition, p.query,
                                                  snapshot_subtopic_profiles.day::date))
$$;
COMMENT ON FUNCTION snapshot_subtopic_profiles(integer, integer[], text) IS
    'Subtopics and grades of the groups of documents of a snapshot for each query, as parallel arrays';
