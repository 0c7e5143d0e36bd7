-- snapshot_subtopic_lists: subtopic_lists as if runs ranked only the documents of a snapshot; parameters as in
-- snapshot_lists.
CREATE OR REPLACE FUNCTION snapshot_subtopic_lists(edition integer, queries integer[], runs integer[], day text,
                                                   counted boolean)
RETURNS TABLE (run integer, query integer, retrieved integer, relevant integer[], grades smallint[],
               irrelevant integer[], pooled integer[])
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT * FROM stc.snapshot_lists($1, $2, $3, $4, $5, true)
$$;
COMMENT ON FUNCTION snapshot_subtopic_lists(integer, integer[], integer[], text, boolean) IS
    'Ranks and groups of the documents of a snapshot with subtopic judgments, one row per run and query';
