-- subtopic_lists: judged_lists for subtopic judgments: relevant has the ranks of documents relevant to some subtopic,
-- grades their group's number (subtopic_groups), irrelevant the ranks of the other judged documents.
CREATE OR REPLACE FUNCTION subtopic_lists(edition integer, queries integer[], runs integer[], rules text,
                                          counted boolean,
                                          parts text[] DEFAULT '{grades,irrelevant,pooled}',
                                          depth integer DEFAULT NULL)
RETURNS TABLE (run integer, query integer, retrieved integer, relevant integer[], grades smallint[],
               irrelevant integer[], pooled integer[])
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT * FROM stc.judged_lists($1, $2, $3, $4, $5, $6, $7, true)
$$;
COMMENT ON FUNCTION subtopic_lists(integer, integer[], integer[], text, boolean, text[], integer) IS
    'Ranks and groups of the documents of runs with subtopic judgments, one row per run and query';
