-- combine_keep: set comb_score of a stored run by a combination of measures (see combine_run). Ranks and relevance
-- scores do not change: the run stays ranked by relevance, and a submission exported from it contains both scores.
--
-- The combination is stored in the run's params as combined. A comb_score imported with the run is only replaced if
-- replace is true; one set by this function is always updated.
-- Raises the errors of combine_run except those about the name; IR202 a run imported with a comb_score (unless
-- replace).
CREATE OR REPLACE FUNCTION combine_keep(
    run text, weights jsonb DEFAULT '{"relevance": 0.7, "textstat_fkgl": 0.2, "citation_percentile": 0.1}',
    transforms jsonb DEFAULT '{}', missing text DEFAULT 'mean', replace boolean DEFAULT false
)
RETURNS TABLE (queries bigint, ranked bigint)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    run_id CONSTANT integer := (run_keys(ARRAY[combine_keep.run]))[1];
BEGIN
    PERFORM FROM st1_runs r WHERE r.id = run_id FOR NO KEY UPDATE;  -- concurrent calls run one after the other
    PERFORM combine_source(combine_keep.run);
    IF NOT combine_keep.replace AND EXISTS (SELECT FROM st1_runs r WHERE r.id = run_id AND NOT r.params ? 'combined')
        AND EXISTS (SELECT FROM st1_rankings k WHERE k.run = run_id AND k.comb_score IS NOT NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the run %s already has a comb_score', combine_keep.run),
            HINT = 'Use --replace to overwrite it, or --name to create a new run.';
    END IF;
    UPDATE ranked_lists l SET comb_scores = s.scores
      FROM (SELECT k.query, k.first, array_agg(c.score ORDER BY k.rank) AS scores
              FROM (SELECT r.query, r.doc, r.rank, r.first FROM st1_rankings r WHERE r.run = run_id OFFSET 0) k
              JOIN combine_scores(run_id, combine_keep.weights, combine_keep.transforms, combine_keep.missing) c
                   ON c.query = k.query AND c.doc = k.doc  -- OFFSET 0 unnests each list once
             GROUP BY k.query, k.first) s
     WHERE (l.run, l.query, l.first) = (run_id, s.query, s.first);
    UPDATE st1_runs r SET params = r.params || jsonb_build_object(
        'combined', combine_stated(combine_keep.weights, combine_keep.transforms, combine_keep.missing))
            WHERE r.id = run_id;
    SELECT count(*) FILTER (WHERE l.first = 1), sum(cardinality(l.docs)) INTO queries, ranked
      FROM ranked_lists l WHERE l.run = run_id;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION combine_keep(text, jsonb, jsonb, text, boolean) IS
'Set comb_score of a stored run by a combination of measures, keeping its order; returns the numbers of queries and '
'documents';
