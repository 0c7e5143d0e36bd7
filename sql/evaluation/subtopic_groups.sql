-- subtopic_groups: judged documents of a query, grouped by their grades for the subtopics; all values are keys.
--
--   number     number of the group from 1; 0 for the documents that are relevant to no subtopic
--   subtopics  subtopics with a grade of 1 or more, numbered from 1 in the order of their names (numbers as numbers)
--   grades     the grades for these subtopics
--
-- Documents with equal grades are interchangeable for every measure, so a ranking needs only the number (judged_lists).
-- Negative grades count as not relevant, as in ndeval.
CREATE OR REPLACE FUNCTION subtopic_groups(edition integer, query integer)
RETURNS TABLE (number smallint, subtopics smallint[], grades smallint[], docs bigint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT CASE WHEN p.subtopics IS NULL THEN 0
                ELSE row_number() OVER (ORDER BY p.subtopics, p.grades) END::smallint,
           p.subtopics, p.grades, array_agg(p.doc)
      FROM (SELECT j.doc, array_agg(j.subtopic ORDER BY j.subtopic) FILTER (WHERE j.rel > 0) AS subtopics,
                   array_agg(j.rel ORDER BY j.subtopic) FILTER (WHERE j.rel > 0) AS grades
              FROM (SELECT t.doc, t.rel, dense_rank() OVER (
                           ORDER BY CASE WHEN t.subtopic ~ '^\d{1,9}$' THEN t.subtopic::integer END, t.subtopic
                           )::smallint AS subtopic
                      FROM qrels_subtopics t
                     WHERE t.edition = subtopic_groups.edition AND t.query = subtopic_groups.query) j
             GROUP BY j.doc) p
     GROUP BY p.subtopics, p.grades;
END
$$;
COMMENT ON FUNCTION subtopic_groups(integer, integer) IS
    'Judged documents of a query, grouped by their grades for the subtopics';
