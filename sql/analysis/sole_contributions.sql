-- sole_contributions: the judged documents that would not have been judged without one run or one team: those that it
-- alone has among its first depth; one row per query and document, in no order.
--
-- by: 'run' or 'team'; a run without a team is of a team of its own name. Only the runs given count as those that
-- filled the pool: all that are stored, if none is named. A judgment below 0 counts as none.
-- Raises IR101 no such run, IR102 no such edition, IR201 depth below 1, IR202 another word for by.
CREATE OR REPLACE FUNCTION public.sole_contributions(
    edition text, depth integer DEFAULT 10, by text DEFAULT 'run', runs text[] DEFAULT '{}'
)
RETURNS TABLE (left_out text, query text, doc bigint, rel integer)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    key record;
BEGIN
    IF sole_contributions.depth IS NULL OR sole_contributions.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('a depth of %s', coalesce(sole_contributions.depth::text, 'NULL')),
            HINT = 'The depth of the pool is how many documents each run gave, 1 or more.';
    ELSIF sole_contributions.by IS NULL OR sole_contributions.by NOT IN ('run', 'team') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('by is %s', coalesce(quote_literal(sole_contributions.by), 'NULL')),
            HINT = 'Runs or teams are left out: run, team.';
    END IF;
    SELECT * INTO key FROM evaluation_keys(sole_contributions.runs, sole_contributions.edition, '{1}');
    RETURN QUERY
    WITH groups AS MATERIALIZED (
        SELECT n.id, CASE sole_contributions.by WHEN 'team' THEN coalesce(n.team COLLATE "C", n.run)
                          ELSE n.run END AS name
          FROM st1_runs n WHERE n.id = ANY (key.run_ids)),
    pooled AS (
        SELECT k.query, k.doc, min(g.name) AS name
          FROM st1_rankings k JOIN groups g ON g.id = k.run
         WHERE k.rank <= sole_contributions.depth AND k.query = ANY (key.query_ids)
         GROUP BY k.query, k.doc HAVING min(g.name) = max(g.name))
    SELECT p.name, q.query, p.doc, j.rel::integer
      FROM pooled p
      JOIN qrels j ON j.edition = key.edition_id AND j.query = p.query AND j.doc = p.doc AND j.rel >= 0
      JOIN st1_queries q ON q.id = p.query;
END
$$;
COMMENT ON FUNCTION public.sole_contributions(text, integer, text, text[]) IS
    'The judged documents that one run or team alone has among its first depth';
