-- pool_contributions: contribution of each run to a pool, one row per run (Zobel, SIGIR 1998).
--
--   contributed          documents of the pool that the run ranks within the pool's depth
--   unique_run           those that no other run ranks there
--   unique_team          those that no other team ranks there
--   judged               contributed documents that are judged
--   found                contributed documents that are relevant, with a grade of at least relevant
--   unique_found_run, unique_found_team
--                        relevant documents that would be missing without the run, or its team
--
-- Based on the current rankings; runs that were dropped since are missing. edition: whose judgments to use; NULL for
-- the pool's own sheets.
-- Raises IR102 no such edition, IR110 no such pool.
CREATE OR REPLACE FUNCTION pool_contributions(pool text, edition text DEFAULT NULL, relevant integer DEFAULT 1)
RETURNS TABLE (run text, team text, contributed bigint, unique_run bigint, unique_team bigint, judged bigint,
               found bigint,
               unique_found_run bigint, unique_found_team bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH contributed AS MATERIALIZED (
        SELECT c.*, count(*) OVER (PARTITION BY c.query, c.doc) AS runs_with,
               min(c.team) OVER (PARTITION BY c.query, c.doc)
                   = max(c.team) OVER (PARTITION BY c.query, c.doc) AS one_team
          FROM pool_members(pool_contributions.pool, pool_contributions.edition) c)
    SELECT n.run, n.team, count(c.doc), count(*) FILTER (WHERE c.runs_with = 1), count(*) FILTER (WHERE c.one_team),
           count(c.rel), count(*) FILTER (WHERE c.rel >= pool_contributions.relevant),
           count(*) FILTER (WHERE c.rel >= pool_contributions.relevant AND c.runs_with = 1),
           count(*) FILTER (WHERE c.rel >= pool_contributions.relevant AND c.one_team)
      FROM (SELECT r.run, r.team
              FROM qrels_pools p
             CROSS JOIN LATERAL pool_runs(ARRAY(SELECT s.run FROM st1_runs s WHERE p.params -> 'runs' ? s.run)) r
             WHERE p.id = pool_key(pool_contributions.pool)) n
      LEFT JOIN contributed c ON c.run = n.run
     GROUP BY n.run, n.team
     ORDER BY n.team COLLATE "C", n.run;
END
$$;
COMMENT ON FUNCTION pool_contributions(text, text, integer) IS
    'Contribution of each run to a pool: documents, unique documents, and the judged and relevant ones among them';
