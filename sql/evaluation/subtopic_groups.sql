-- subtopic_groups: judged documents of a query, grouped by their grades for the subtopics; all values are keys.
--
--   number     number of the group from 1; 0 for the documents that are relevant to no subtopic
--   subtopics  subtopics with a grade of 1 or more, numbered from 1 in the order of their names (numbers as numbers)
--   grades     the grades for these subtopics
--
-- every: include group 0. day: only documents of the snapshot of this date (subtopic_judgments). Documents with equal
-- grades are interchangeable for every measure, so a ranking needs only the number (judged_lists). Negative
-- grades count as not relevant, as in ndeval.
CREATE OR REPLACE FUNCTION subtopic_groups(edition integer, query integer, every boolean DEFAULT false,
                                           day date DEFAULT NULL)
RETURNS TABLE (number smallint, subtopics smallint[], grades smallint[], docs bigint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH relevant AS MATERIALIZED (
        SELECT t.subtopic COLLATE "C" AS subtopic, t.doc, t.rel
          FROM subtopic_judgments(subtopic_groups.edition, subtopic_groups.query, subtopic_groups.day) t
         WHERE t.rel > 0),
    named AS (
        SELECT r.subtopic, row_number() OVER (
                   ORDER BY CASE WHEN r.subtopic ~ '^\d{1,9}$' THEN r.subtopic::integer END, r.subtopic) AS place
          FROM (SELECT DISTINCT s.subtopic FROM relevant s) r)
    SELECT row_number() OVER (ORDER BY p.subtopics, p.grades)::smallint, p.subtopics, p.grades, array_agg(p.doc)
      FROM (SELECT r.doc, array_agg(n.place::smallint ORDER BY n.place) AS subtopics,
                   array_agg(r.rel ORDER BY n.place) AS grades
              FROM relevant r JOIN named n USING (subtopic) GROUP BY r.doc) p
     GROUP BY p.subtopics, p.grades;
    IF subtopic_groups.every THEN
        RETURN QUERY
        SELECT 0::smallint, '{}'::smallint[], '{}'::smallint[], array_agg(d.doc)
          FROM (SELECT t.doc
                  FROM subtopic_judgments(subtopic_groups.edition, subtopic_groups.query, subtopic_groups.day) t
                 GROUP BY t.doc HAVING max(t.rel) <= 0) d
        HAVING count(*) > 0;
    END IF;
END
$$;
COMMENT ON FUNCTION subtopic_groups(integer, integer, boolean, date) IS
    'Judged documents of a query, grouped by their grades for the subtopics';
