-- combine_keep: fills comb_score of a stored run by a stated combination (combine_run) and leaves everything else: it
-- stays ranked by its relevance, and a submission exported from it carries both scores.
--
-- params of the run gets combined: the combination in full. A comb_score that the run came with is its author's, and
-- stays unless replace; one filled here is filled anew.
-- Raises what combine_run raises, but for the name; IR202 a run that came with a comb_score (unless replace).
CREATE OR REPLACE FUNCTION combine_keep(
    run text, weights jsonb DEFAULT '{"relevance": 0.7, "textstat_fkgl": 0.2, "citation_percentile": 0.1}',
    transforms jsonb DEFAULT '{}', missing text DEFAULT 'mean', replace boolean DEFAULT false
)
RETURNS TABLE (queries bigint, ranked bigint)
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    run_id CONSTANT integer := (run_keys(ARRAY[combine_keep.run]))[1];
BEGIN
    PERFORM FROM st1_runs r WHERE r.id = run_id FOR NO KEY UPDATE;  -- two at once: one after the other
    PERFORM combine_source(combine_keep.run);
    IF NOT combine_keep.replace AND EXISTS (SELECT FROM st1_runs r WHERE r.id = run_id AND NOT r.params ? 'combined')
        AND EXISTS (SELECT FROM st1_rankings k WHERE k.run = run_id AND k.comb_score IS NOT NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the run %s has a comb_score already', combine_keep.run),
            HINT = '--replace puts this one in its place; --name makes a new run.';
    END IF;
    UPDATE st1_rankings k SET comb_score = s.score
      FROM combine_scores(run_id, combine_keep.weights, combine_keep.transforms, combine_keep.missing) s
     WHERE k.run = run_id AND k.query = s.query AND k.doc = s.doc;
    GET DIAGNOSTICS ranked = ROW_COUNT;
    UPDATE st1_runs r SET params = r.params || jsonb_build_object(
        'combined', combine_stated(combine_keep.weights, combine_keep.transforms, combine_keep.missing))
            WHERE r.id = run_id;
    SELECT count(DISTINCT k.query) INTO queries FROM st1_rankings k WHERE k.run = run_id;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION combine_keep(text, jsonb, jsonb, text, boolean) IS
'Fills comb_score of a stored run by a stated combination, its order as it was; returns queries and documents';
