-- synth_overview: progress of the studies of synthetic queries by step, one row per study, by name.
--
--   sampled = scored + malformed + failed + unasked; scored = under (min_score) + kept
--
-- The shares are of the answers, scored and malformed together. candidates: all generated queries; usable: those not
-- dropped.
CREATE OR REPLACE FUNCTION synth_overview(min_score double precision DEFAULT 50)
RETURNS TABLE (
    study text, field text, seed bigint, sampled bigint, scored bigint, malformed bigint, failed bigint, unasked bigint,
    malformed_share double precision, under bigint, under_share double precision,
    kept bigint, scorer text, candidates bigint, usable bigint)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
    SELECT s.study, s.field, s.seed, p.sampled, p.scored, p.malformed, p.failed,
           p.sampled - p.scored - p.malformed - p.failed,
           p.malformed / nullif(p.scored + p.malformed, 0)::double precision, p.under,
           p.under / nullif(p.scored + p.malformed, 0)::double precision, p.scored - p.under, p.scorer,
           c.candidates, c.usable
      FROM synth_studies s,
           LATERAL (SELECT count(*) AS sampled, count(i.score) AS scored,
                           count(*) FILTER (WHERE i.answer IS NOT NULL AND i.score IS NULL) AS malformed,
                           count(*) FILTER (WHERE i.answer IS NULL AND i.error IS NOT NULL) AS failed,
                           count(*) FILTER (WHERE i.score < synth_overview.min_score) AS under,
                           max(i.model) FILTER (WHERE i.answer IS NOT NULL) AS scorer
                      FROM synth_passages i WHERE i.study = s.id) p,
           LATERAL (SELECT count(*) AS candidates, count(*) FILTER (WHERE i.dropped IS NULL) AS usable
                      FROM synth_candidates i WHERE i.study = s.id) c
     ORDER BY s.study
$$;
COMMENT ON FUNCTION synth_overview(double precision) IS
    'Progress of the studies of synthetic queries by step: sampled, scored, kept, candidates, usable';
