-- subtopic_profiles: judged_profiles for subtopic judgments: the subtopics of each group of documents
-- (subtopic_groups), as parallel arrays with one element per group and subtopic. All values are keys.
--
--   numbers, subtopics, grades   see subtopic_groups
--   sizes                        number of documents of the group
--   day                          only documents of the snapshot of this date (subtopic_judgments); NULL for all
--   rels                         empty; it gives the function the column of judged_profiles that score_statement reads
CREATE OR REPLACE FUNCTION subtopic_profiles(edition integer, queries integer[], day date DEFAULT NULL)
RETURNS TABLE (query integer, rels smallint[], numbers smallint[], subtopics smallint[], grades smallint[],
               sizes integer[])
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT q.query, '{}'::smallint[], p.numbers, p.subtopics, p.grades, p.sizes
      FROM unnest(subtopic_profiles.queries) AS q (query)
     CROSS JOIN LATERAL (
           SELECT array_agg(g.number) AS numbers, array_agg(m.subtopic) AS subtopics, array_agg(m.grade) AS grades,
                  array_agg(cardinality(g.docs)) AS sizes
             FROM subtopic_groups(subtopic_profiles.edition, q.query, false, subtopic_profiles.day) g
            CROSS JOIN LATERAL unnest(g.subtopics, g.grades) AS m (subtopic, grade)) p
$$;
COMMENT ON FUNCTION subtopic_profiles(integer, integer[], date) IS
    'Subtopics and grades of the groups of documents of each query (subtopic_groups), as parallel arrays';
