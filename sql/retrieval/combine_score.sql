-- combine_score: the score of a combination of n measures, as an SQL expression over a row c with parts p1 to pn, and a
-- row f with weights w1 to wn and their sum total:
--
--   comb = Σ weight · part / Σ weight, in [0, 1]
--
-- combine_run, combine_keep and combine_tune all use this expression, summed in the order of the measures, so that
-- their scores are equal.
CREATE OR REPLACE FUNCTION combine_score(n integer)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
RETURN (SELECT format('least(1, (%s) / f.total)', string_agg(format('c.p%1$s * f.w%1$s', i), ' + ' ORDER BY i))
          FROM generate_series(1, combine_score.n) i);
COMMENT ON FUNCTION combine_score(integer) IS 'Score of a combination of n measures, as an SQL expression';
