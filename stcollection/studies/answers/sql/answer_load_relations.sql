-- answer_load_relations: store the rows of the temporary table answer_lines (answer_stage) from a file of relations as
-- pairs. Returns the numbers of lines used and of contradictory pairs.
--
-- A relation is stored if it agrees with the pair's label, or if the label is contradictory. A pair without a label
-- gets the one that follows: 1 from support, 0 from neutral and oppose. A pair with two relations keeps neither, but
-- gets a label if both imply the same.
CREATE OR REPLACE FUNCTION answer_load_relations(file integer, OUT stored bigint, OUT contradictory bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp
SET enable_nestloop = off SET work_mem = '64MB' AS $$
#variable_conflict use_column
DECLARE
    otherwise bigint;
BEGIN
    PERFORM answer_resolve_pairs(answer_load_relations.file);
    INSERT INTO answer_rejects (file, line, problem, reason)
    SELECT answer_load_relations.file, r.line, 'contradictory',
           format('contradicts the label %s of the pair, which is kept without a relation', p.label)
      FROM pg_temp.answer_resolved r JOIN answer_pairs p ON p.a = r.a AND p.b = r.b
     WHERE (r.says = 'support') <> (p.label = 1)
       AND NOT EXISTS (SELECT FROM pg_temp.answer_resolved o WHERE o.a = r.a AND o.b = r.b AND o.line <> r.line);
    GET DIAGNOSTICS otherwise = ROW_COUNT;
    SELECT count(*) INTO answer_load_relations.stored FROM pg_temp.answer_resolved r;
    SELECT count(*) + otherwise INTO answer_load_relations.contradictory
      FROM (SELECT FROM pg_temp.answer_resolved r GROUP BY r.a, r.b HAVING count(*) > 1) c;
    INSERT INTO answer_pairs AS p (a, b, query, label, relation, hidden)
    SELECT r.a, r.b, r.query, CASE WHEN bool_and(r.says = 'support') THEN 1
                                   WHEN bool_and(r.says <> 'support') THEN 0 END,
           CASE WHEN count(*) = 1 THEN min(r.says) END, q.hidden
      FROM pg_temp.answer_resolved r JOIN answer_queries q ON q.id = r.query
     GROUP BY r.a, r.b, r.query, q.hidden ORDER BY r.a, r.b
    ON CONFLICT (a, b, hidden) DO UPDATE SET relation =
        CASE WHEN p.label IS NULL OR p.label = excluded.label THEN excluded.relation END;
END
$$;
COMMENT ON FUNCTION answer_load_relations(integer) IS
    'Stores the staged lines of a file of relations as pairs; returns the numbers of lines used and of '
    'contradictory pairs';
