-- corrected_pairs: DCG@k or P@k of runs for queries of which people judged a sample of the documents, with what labels
-- of a machine add: one row per run and query that the run has documents of; all values are keys.
--
-- Both measures are sums over pairs of query and document, of a weight w times the gain. With the N documents of a
-- stratum, n of them judged by people, y the gain by people and f that by the labels:
--
--   by_people             sum over strata of N / n · sum of w y over the judged documents
--   excess                sum over strata of N / n · sum of w f over the judged documents - sum of w f over all
--   covariance, variance  of excess with by_people, and of excess, over samples of the strata
--
-- by_people - weight · excess is the prediction-powered estimate of the query's value for any weight (Angelopoulos et
-- al., Science 382, 2023; for DCG: Oosterhuis et al., KDD 2024), in survey sampling the difference estimator (Särndal,
-- Swensson & Wretman, 1992, section 6.3). The sum of covariance / sum of variance minimises its variance.
--
--   kind, depth, level  dcg_cut (w = 1 / log2(rank + 1), gain = grade) or P (w = 1 / k, gain = 1 from level on)
--   baseline            NULL, or a run whose weights are subtracted
--
-- Documents outside the strata, and those without a label, have the gain 0.
CREATE OR REPLACE FUNCTION corrected_pairs(
    kind text, labels integer, people integer, queries integer[], runs integer[], baseline integer, depth integer,
    level integer)
RETURNS TABLE (run integer, query integer, by_people double precision, excess double precision,
               covariance double precision, variance double precision)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp
SET enable_nestloop = off  -- the sizes of the parts are unknown to the planner
AS $$
    WITH documents AS MATERIALIZED (
        SELECT d.query, d.doc, d.stratum, d.size, d.judged, d.rel IS NOT NULL AS drawn,
               CASE corrected_pairs.kind WHEN 'P' THEN (d.rel >= level)::integer ELSE d.rel END AS y,
               CASE corrected_pairs.kind WHEN 'P' THEN (l.rel >= level)::integer ELSE greatest(l.rel, 0) END AS f
          FROM sampled_documents(corrected_pairs.people, corrected_pairs.queries) d
          LEFT JOIN qrels l ON l.edition = corrected_pairs.labels AND l.query = d.query AND l.doc = d.doc),
    ranked AS MATERIALIZED (
        SELECT l.run, d.query, d.doc,
               CASE corrected_pairs.kind WHEN 'P' THEN 1 / depth::double precision
                                         ELSE ln(2::double precision) / ln(l.first + u.place) END AS w
          FROM ranked_lists l
         CROSS JOIN LATERAL unnest(l.docs) WITH ORDINALITY AS u (doc, place)
          JOIN documents d ON d.query = l.query AND d.doc = u.doc
         WHERE l.run = ANY (corrected_pairs.runs || corrected_pairs.baseline)
           AND l.query = ANY (corrected_pairs.queries) AND l.first - 1 + u.place <= corrected_pairs.depth),
    weighted AS (
        SELECT u.run, r.query, r.doc, sum(CASE WHEN r.run = u.run THEN r.w ELSE -r.w END) AS w
          FROM unnest(corrected_pairs.runs) AS u (run)
          JOIN ranked r ON r.run IN (u.run, corrected_pairs.baseline)
         GROUP BY u.run, r.query, r.doc),
    strata AS (
        SELECT w.run, d.query, min(d.size) AS size, min(d.judged) AS n, coalesce(sum(w.w * d.f), 0) AS f,
               coalesce(sum(w.w * d.y), 0) AS ys, coalesce(sum(w.w * d.f) FILTER (WHERE d.drawn), 0) AS fs,
               coalesce(sum(w.w ^ 2 * d.y * d.f), 0) AS yf,
               coalesce(sum((w.w * d.f) ^ 2) FILTER (WHERE d.drawn), 0) AS ff
          FROM weighted w JOIN documents d ON d.query = w.query AND d.doc = w.doc
         GROUP BY w.run, d.query, d.stratum)
    SELECT s.run, s.query, sum(s.size / s.n * s.ys), sum(s.size / s.n * s.fs - s.f),
           sum(k.factor * (s.yf - k.shared * s.ys * s.fs)), sum(k.factor * (s.ff - k.shared * s.fs ^ 2))
      FROM strata s
     CROSS JOIN LATERAL (SELECT s.size * (s.size - s.n) / (s.n * greatest(s.n - 1, 1)) AS factor,
                                CASE WHEN s.n > 1 THEN 1 / s.n ELSE 0 END AS shared) k
     GROUP BY s.run, s.query
$$;
COMMENT ON FUNCTION corrected_pairs(text, integer, integer, integer[], integer[], integer, integer, integer) IS
    'DCG@k or P@k of runs from judgments of people for a sample of documents, with what labels for all documents add';
