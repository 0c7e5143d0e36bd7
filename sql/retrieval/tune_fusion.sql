-- tune_fusion: the value of a fusion of stored runs by one edition of the judgments for many weights, best first: the
-- mean over the queries of the edition of the value that evaluate gives for the run that fuse_runs would create.
--
--   SELECT * FROM tune_fusion('{bm25,dense-abstract}', 'train', method => 'sum') LIMIT 5;
--
-- measure    a column of evaluate: ndcg, precision_at, recall_at (at the cutoff), reciprocal_rank or average_precision
-- steps      all weights are multiples of 1 / steps and sum to 1 (tune_grid); only their proportions matter
-- constants  constants of rrf, each tried with all weights; NULL in the result for other methods
-- method, norm, depth: as for fuse_runs.
--
-- Of equal values (to nine places) the most equal weights come first, then the smaller constant. The best weights are
-- best for these queries: report results on another edition.
--
-- Raises IR101 no such run, IR102 no such edition, IR108 no such measure, IR201 cutoff or depth below 1, IR202 fewer
-- than two runs or a repeated one, steps out of range, method, norm, constants, or a score that is not finite if scores
-- are used, IR405 the edition has no judgments.
CREATE OR REPLACE FUNCTION public.tune_fusion(
    runs text[], edition text, measure text DEFAULT 'ndcg', cutoff integer DEFAULT 10, method text DEFAULT 'rrf',
    norm text DEFAULT 'minmax', steps integer DEFAULT 10, constants integer[] DEFAULT '{60}', depth integer DEFAULT 1000
)
RETURNS TABLE (weights jsonb, constant integer, value double precision)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET search_path = stc_all, stc, public, pg_temp
SET jit = off
AS $$
    SELECT (SELECT jsonb_object_agg(u.name, u.weight) FROM unnest(tune_fusion.runs, f.weights) u (name, weight)),
           f.constant, f.value
      FROM fusion_folds(tune_fusion.runs, tune_fusion.edition, tune_fusion.measure, tune_fusion.cutoff,
                        tune_fusion.method, tune_fusion.norm, tune_fusion.steps, tune_fusion.constants,
                        tune_fusion.depth, NULL) f
     ORDER BY f.place
$$;
COMMENT ON FUNCTION public.tune_fusion(text[], text, text, integer, text, text, integer, integer[], integer) IS
'Value of a fusion of stored runs on an edition for many weights, best first';
