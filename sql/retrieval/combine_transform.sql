-- combine_transform: transform a value into [0, 1], where 1 is best; monotone. NULL stays NULL.
--
--   linear(a, b)          (x − a) / (b − a), clamped: 0 at a, 1 at b; with a > b less is better
--   log(a, b)             the same of ln(1 + x), for counts from 0; a negative x counts as 0
--   logistic(mid, scale)  1 / (1 + exp(−(x − mid) / scale)): .5 at mid; with a negative scale less is better
--   percentile            x is already a share of the corpus (combine_shares): a = 1 keeps it, a = 0 is 1 − x, less is
--                         better
--
-- The transforms for relevance only are minmax and rank in fusion_part, and reciprocal in combine_parts. Written so
-- that PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION combine_transform(name text, x double precision, a double precision, b double precision)
RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN x IS NULL THEN NULL
    WHEN name = 'linear' THEN least(1, greatest(0, (x - a) / (b - a)))
    WHEN name = 'log' THEN least(1, greatest(0, (ln(1 + greatest(x, 0)) - ln(1 + a)) / (ln(1 + b) - ln(1 + a))))
    WHEN name = 'logistic' THEN 1 / (1 + exp(least(700, greatest(-700, (a - x) / b))))
    WHEN name = 'percentile' THEN CASE a WHEN 0 THEN 1 - x ELSE x END
END;
COMMENT ON FUNCTION combine_transform(text, double precision, double precision, double precision) IS
'Transform a value into [0, 1], 1 is best: linear, log, logistic or percentile';
