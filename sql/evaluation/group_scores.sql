-- group_scores: measures of runs averaged over the judgment groups of a query, one row per run, query of the edition
-- and measure.
--
--   map_avgjg           mean over groups of AP by the group's judgments
--   P_avgjg_k           mean over groups of the precision at k
--   Rprec_mult_avgjg_m  mean over groups of the precision at the cutoff floor(m · R + 0.9), R relevant documents of the
--                       group; 0 at 0
--
-- A group is an annotator (group_judgments). A group without relevant documents scores 0 and counts in the mean. Equal
-- to trec_eval 9's -m qrels_jg -R qrels_jg with -c: a run scores 0 for a query for which it has no ranking. If complete
-- is false, such queries are omitted. A document is relevant if rel >= 1. For the effect of assessor disagreement on
-- system rankings see Voorhees, IP&M 36(5), 2000.
--
-- runs: run names; an empty array means all.
-- Raises IR101, IR102, IR201 (evaluation_keys), IR202 a multiple that is not above 0.
CREATE OR REPLACE FUNCTION public.group_scores(
    runs text[], edition text, complete boolean DEFAULT true,
    cutoffs integer[] DEFAULT '{5,10,15,20,30,100,200,500,1000}',
    multiples double precision[] DEFAULT '{0.2,0.4,0.6,0.8,1.0,1.2,1.4,1.6,1.8,2.0}')
RETURNS TABLE (run text, query text, measure text, value double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    key record;
    bad double precision;
BEGIN
    SELECT * INTO key FROM evaluation_keys(group_scores.runs, group_scores.edition, group_scores.cutoffs);
    SELECT m INTO bad FROM unnest(group_scores.multiples) AS m WHERE m IS NULL OR NOT (m > 0 AND m <= 1e6) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the multiple is ' || coalesce(bad::text, 'NULL'),
            HINT = 'A multiple of the number of relevant documents must be above 0 and at most a million.';
    END IF;
    RETURN QUERY
    WITH judged AS MATERIALIZED (
        SELECT g.query, g.annotator, g.doc, g.rel FROM group_judgments g WHERE g.edition = key.edition_id),
    groups AS (SELECT j.query, j.annotator, count(*) FILTER (WHERE j.rel >= 1) AS relevant FROM judged j GROUP BY 1, 2),
    found AS (
        SELECT k.run, k.query, j.annotator, array_agg(k.rank ORDER BY k.rank) AS ranks
          FROM (SELECT r.run, r.query, r.doc, r.rank FROM st1_rankings r
                 WHERE r.run = ANY (key.run_ids) OFFSET 0) k  -- OFFSET 0 unnests each list once
          JOIN judged j ON j.query = k.query AND j.doc = k.doc
         WHERE j.rel >= 1
         GROUP BY 1, 2, 3),
    cells AS (
        SELECT r.run, q.query FROM unnest(key.run_ids) AS r (run) CROSS JOIN (SELECT DISTINCT g.query FROM groups g) q
         WHERE group_scores.complete OR EXISTS (SELECT FROM st1_rankings k WHERE k.run = r.run AND k.query = q.query))
    SELECT n.run, q.query, m.measure, avg(m.value)
      FROM cells c
      JOIN groups g ON g.query = c.query
      LEFT JOIN found f ON f.run = c.run AND f.query = c.query AND f.annotator = g.annotator
      JOIN st1_runs n ON n.id = c.run
      JOIN st1_queries q ON q.id = c.query
     CROSS JOIN LATERAL (
           SELECT 'map_avgjg' AS measure,
                  coalesce((SELECT sum(u.i / u.rank::double precision)
                              FROM unnest(f.ranks) WITH ORDINALITY AS u (rank, i)) / g.relevant, 0)
           UNION ALL
           SELECT 'P_avgjg_' || k, coalesce(width_bucket(k, f.ranks) / k::double precision, 0)
             FROM unnest(group_scores.cutoffs) AS k
           UNION ALL
           SELECT 'Rprec_mult_avgjg_' || to_char(x.multiple, 'FM999999990.00'),
                  coalesce(width_bucket(x.cutoff, f.ranks) / nullif(x.cutoff, 0)::double precision, 0)
             FROM (SELECT multiple, least(floor(multiple * g.relevant + 0.9), 2147483647)::integer AS cutoff
                     FROM unnest(group_scores.multiples) AS multiple) x) AS m (measure, value)
     GROUP BY n.run, q.query, m.measure;
END
$$;
COMMENT ON FUNCTION public.group_scores(text[], text, boolean, integer[], double precision[]) IS
    'AP, P and R-precision at multiples of R, averaged over the annotators of each query, as trec_eval -m qrels_jg '
    '-R qrels_jg';
