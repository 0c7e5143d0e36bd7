-- sole_contributions: judged documents that only one run or team contributed to the pool: no other run or team ranks
-- them within depth. One row per query and document; unordered.
--
--   by    'run' or 'team'; a run without a team counts as a team named like the run
--   runs  names of the runs that formed the pool; an empty array means all
--   query_set
--         only the queries of a set (function query_set)
--
-- A negative grade counts as not judged.
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query or set, IR201 depth below 1, IR202 invalid value
-- of by.
CREATE OR REPLACE FUNCTION public.sole_contributions(
    edition text, depth integer DEFAULT 10, by text DEFAULT 'run', runs text[] DEFAULT '{}',
    query_set text DEFAULT 'all'
)
RETURNS TABLE (left_out text, query text, doc bigint, rel integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    key record;
BEGIN
    IF sole_contributions.depth IS NULL OR sole_contributions.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('the depth is %s', coalesce(sole_contributions.depth::text, 'NULL')),
            HINT = 'The pool depth is the number of documents taken from each run; it must be 1 or more.';
    ELSIF sole_contributions.by IS NULL OR sole_contributions.by NOT IN ('run', 'team') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('by is %s', coalesce(quote_literal(sole_contributions.by), 'NULL')),
            HINT = 'Use run or team.';
    END IF;
    SELECT * INTO key FROM evaluation_keys(sole_contributions.runs, sole_contributions.edition, '{1}',
                                           sole_contributions.query_set);
    RETURN QUERY
    WITH groups AS MATERIALIZED (
        SELECT n.id, CASE sole_contributions.by WHEN 'team' THEN coalesce(n.team COLLATE "C", n.run)
                          ELSE n.run END AS name
          FROM st1_runs n WHERE n.id = ANY (key.run_ids)),
    pooled AS (
        SELECT k.query, k.doc, min(g.name) AS name
          FROM rankings_to(sole_contributions.depth) k JOIN groups g ON g.id = k.run
         WHERE k.query = ANY (key.query_ids)
         GROUP BY k.query, k.doc HAVING min(g.name) = max(g.name))
    SELECT p.name, q.query, p.doc, j.rel::integer
      FROM pooled p
      JOIN qrels j ON j.edition = key.edition_id AND j.query = p.query AND j.doc = p.doc AND j.rel >= 0
      JOIN st1_queries q ON q.id = p.query;
END
$$;
COMMENT ON FUNCTION public.sole_contributions(text, integer, text, text[], text) IS
    'Judged documents that only one run or team ranks within the depth, with their grades';
