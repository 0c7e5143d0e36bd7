-- leave_out: mean scores of all runs if one run, or one team, had not contributed to the pool. One row per omitted run
-- or team and run; by name.
--
-- The judgments that only the omitted run contributed (sole_contributions) become unjudged. own is true if the row's
-- run is the omitted run or belongs to the omitted team.
--
-- before is the mean by the whole edition, after by the remaining judgments. Both are means over all queries of the
-- edition: a query that loses all its judgments scores 0. Only changed rankings are scored again, in one query for all
-- omissions; no edition is stored.
--
-- measure: nDCG@k, P@k, R@k, RR, AP or Bpref. depth, by, runs, query_set: as for sole_contributions. Runs without
-- rankings are omitted.
-- Raises IR101, IR102, IR103, IR108, IR201, IR202.
CREATE OR REPLACE FUNCTION public.leave_out(
    edition text, measure text DEFAULT 'nDCG@10', depth integer DEFAULT 10, by text DEFAULT 'run',
    runs text[] DEFAULT '{}', query_set text DEFAULT 'all')
RETURNS TABLE (left_out text, run text, own boolean, before double precision, after double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    key record;
    asked record;
BEGIN
    SELECT * INTO asked FROM judged_measure(leave_out.measure);
    SELECT * INTO key FROM evaluation_keys(leave_out.runs, leave_out.edition, '{1}', leave_out.query_set);
    RETURN QUERY
    WITH ranked AS MATERIALIZED (
        SELECT n.id, n.run, CASE leave_out.by WHEN 'team' THEN coalesce(n.team COLLATE "C", n.run)
                                 ELSE n.run END AS name
          FROM st1_runs n WHERE n.id = ANY (key.run_ids) AND EXISTS (SELECT FROM st1_rankings k WHERE k.run = n.id)),
    judged AS MATERIALIZED (
        SELECT j.query, array_agg(j.doc ORDER BY j.rel DESC) AS docs,
               array_agg(j.rel::integer ORDER BY j.rel DESC) AS rels
          FROM qrels j WHERE j.edition = key.edition_id AND j.rel >= 0 AND j.query = ANY (key.query_ids)
         GROUP BY j.query),
    found AS MATERIALIZED (
        SELECT l.*, judged_value(asked.kind, asked.cutoff, l.ranks, l.rels, j.rels) AS value
          FROM judged_documents(key.edition_id, key.run_ids) l JOIN judged j ON j.query = l.query),
    sole AS MATERIALIZED (  -- with the remaining judgments of the query
        SELECT s.name, s.query, s.docs, kept.rels
          FROM (SELECT c.left_out AS name, q.id AS query, array_agg(c.doc) AS docs
                  FROM sole_contributions(leave_out.edition, leave_out.depth, leave_out.by, leave_out.runs,
                                          leave_out.query_set) c
                  JOIN st1_queries q ON q.query = c.query
                 GROUP BY c.left_out, q.id
                HAVING asked.kind = 'bpref' OR max(c.rel) > 0) s  -- other measures depend on relevant documents only
          JOIN judged j ON j.query = s.query
         CROSS JOIN LATERAL (SELECT coalesce(array_agg(d.rel ORDER BY d.rel DESC), '{}') AS rels
                               FROM unnest(j.docs, j.rels) AS d (doc, rel) WHERE d.doc <> ALL (s.docs)) kept),
    changes AS (
        SELECT s.name, f.run, sum(judged_value(asked.kind, asked.cutoff, kept.ranks, kept.rels, s.rels)
                                  - f.value) AS change
          FROM sole s
          JOIN found f ON f.query = s.query
         CROSS JOIN LATERAL (SELECT array_agg(d.rank ORDER BY d.rank) AS ranks, array_agg(d.rel ORDER BY d.rank) AS rels
                               FROM unnest(f.docs, f.ranks, f.rels) AS d (doc, rank, rel)
                              WHERE d.doc <> ALL (s.docs)) kept
         GROUP BY s.name, f.run),
    full_score AS (SELECT r.id, coalesce(sum(f.value), 0) AS total FROM ranked r LEFT JOIN found f ON f.run = r.id
                    GROUP BY r.id)
    SELECT l.name, r.run, r.name = l.name, t.total / cardinality(key.query_ids),
           (t.total + coalesce(c.change, 0)) / cardinality(key.query_ids)
      FROM (SELECT DISTINCT name FROM ranked) l
     CROSS JOIN ranked r
      JOIN full_score t ON t.id = r.id
      LEFT JOIN changes c ON c.name = l.name AND c.run = r.id
     ORDER BY l.name COLLATE "C", r.run COLLATE "C";
END
$$;
COMMENT ON FUNCTION public.leave_out(text, text, integer, text, text[], text) IS
    'Mean scores of all runs before and after removing the judgments that only one run or team contributed to the '
    'pool';
