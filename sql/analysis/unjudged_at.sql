-- unjudged_at: number and share of unjudged documents at the top of runs, one row per run and query of the edition;
-- unordered.
--
--   retrieved  documents among the first cutoff
--   unjudged   those of them without a grade of 0 or more
--   share      unjudged / retrieved = 1 - Judged@cutoff; NULL if the run has no ranking for the query
--
-- runs: run names; an empty array means all. query_set: only the queries of a set (query_set).
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query or set, IR201 cutoff below 1.
CREATE OR REPLACE FUNCTION public.unjudged_at(runs text[], edition text, cutoff integer DEFAULT 10,
                                              query_set text DEFAULT 'all')
RETURNS TABLE (run text, query text, retrieved integer, unjudged integer, share double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp SET jit = off SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    key record;
BEGIN
    SELECT * INTO key FROM evaluation_keys(unjudged_at.runs, unjudged_at.edition, ARRAY[unjudged_at.cutoff],
                                           unjudged_at.query_set);
    RETURN QUERY
    SELECT n.run, q.query, coalesce(t.retrieved, 0), coalesce(t.unjudged, 0), t.unjudged / t.retrieved::double precision
      FROM st1_runs n
     CROSS JOIN st1_queries q
      LEFT JOIN (SELECT k.run, k.query, count(*)::integer AS retrieved,
                        count(*) FILTER (WHERE j.doc IS NULL)::integer AS unjudged
                   FROM rankings_to(unjudged_at.cutoff) k
                   LEFT JOIN qrels j ON j.edition = key.edition_id AND j.query = k.query AND j.doc = k.doc
                        AND j.rel >= 0
                  WHERE k.run = ANY (key.run_ids) AND k.query = ANY (key.query_ids)
                  GROUP BY k.run, k.query) t ON t.run = n.id AND t.query = q.id
     WHERE n.id = ANY (key.run_ids) AND q.id = ANY (key.query_ids);
END
$$;
COMMENT ON FUNCTION public.unjudged_at(text[], text, integer, text) IS
    'Number and share of unjudged documents among the first cutoff, per run and query of an edition';
