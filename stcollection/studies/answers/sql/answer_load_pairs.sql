-- answer_load_pairs: store the rows of the temporary table answer_lines (answer_stage) from a file of labels as pairs.
-- Returns the number of lines used, and the number of contradictory pairs, which get no label.
--
-- A pair that a file of relations added earlier gets the label of this file; a relation that contradicts it is removed
-- and recorded in answer_rejects.
CREATE OR REPLACE FUNCTION answer_load_pairs(file integer, OUT stored bigint, OUT contradictory bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp
SET enable_nestloop = off SET work_mem = '64MB' AS $$
#variable_conflict use_column
DECLARE
    otherwise bigint;
BEGIN
    PERFORM answer_resolve_pairs(answer_load_pairs.file);
    INSERT INTO answer_rejects (file, line, problem, reason)
    SELECT answer_load_pairs.file, r.line, 'contradictory',
           format('contradicts the relation %s of the pair, which is removed', p.relation)
      FROM pg_temp.answer_resolved r JOIN answer_pairs p ON p.a = r.a AND p.b = r.b
     WHERE (p.relation = 'support') <> (r.says = '1')
       AND NOT EXISTS (SELECT FROM pg_temp.answer_resolved o WHERE o.a = r.a AND o.b = r.b AND o.line <> r.line);
    GET DIAGNOSTICS otherwise = ROW_COUNT;
    SELECT count(*) INTO answer_load_pairs.stored FROM pg_temp.answer_resolved r;
    SELECT count(*) + otherwise INTO answer_load_pairs.contradictory
      FROM (SELECT FROM pg_temp.answer_resolved r GROUP BY r.a, r.b HAVING count(*) > 1) c;
    INSERT INTO answer_pairs AS p (a, b, query, label, hidden)
    SELECT r.a, r.b, r.query, CASE WHEN count(*) = 1 THEN min(r.says)::smallint END, q.hidden
      FROM pg_temp.answer_resolved r JOIN answer_queries q ON q.id = r.query
     GROUP BY r.a, r.b, r.query, q.hidden ORDER BY r.a, r.b
    ON CONFLICT (a, b, hidden) DO UPDATE SET label = excluded.label,
        relation = CASE WHEN excluded.label IS NULL OR excluded.label = (p.relation = 'support')::integer
                        THEN p.relation END;
END
$$;
COMMENT ON FUNCTION answer_load_pairs(integer) IS
    'Stores the staged lines of a file of labels as pairs; returns the numbers of lines used and of contradictory '
    'pairs';
