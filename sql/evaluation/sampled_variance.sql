-- sampled_variance: part of one stratum in the variance of an estimated ratio, for a stratified sample.
--
-- The ratio is linearised: with z = (g - value · b) / divisor the effect of a document, the variance is the sum over
-- strata of N² (1 - n / N) s² / n. Here s² is the variance of z over the n judged documents of a stratum of N documents
-- (Särndal, Swensson & Wretman, Model Assisted Survey Sampling, 1992, sections 3.7 and 5.5). If n is 1, s² is z².
--
-- The linearisation leaves out terms of second order and the bias of a ratio. If the sample has few relevant documents
-- of a query, estimates of all measures but ipw_P are too high, and their intervals too narrow, unless they are pooled
-- (sampled_scores, docs/howto/judge.md).
--
--   g, b             what a judged document adds to the numerator and, by value, to the denominator
--   g1, g2, gb       sums of g, g² and g · b over the judged documents; b1, b2: of b and b²
CREATE OR REPLACE FUNCTION sampled_variance(
    size double precision, judged double precision, g1 double precision, g2 double precision, gb double precision,
    b1 double precision, b2 double precision, value double precision, divisor double precision)
RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(size * (size - judged) / nullif(judged, 0)
                    * greatest(g2 - 2 * value * gb + value * value * b2
                               - CASE WHEN judged > 1 THEN (g1 - value * b1) * (g1 - value * b1) / judged ELSE 0 END, 0)
                    / greatest(judged - 1, 1) / nullif(divisor * divisor, 0), 0)
$$;
COMMENT ON FUNCTION sampled_variance(
    double precision, double precision, double precision, double precision, double precision, double precision,
    double precision, double precision, double precision) IS
    'Part of one stratum in the variance of an estimated ratio, for a stratified sample';
