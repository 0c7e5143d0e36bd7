-- combine_score: the score of a stated combination of n measures, as a term of SQL over a row c with parts p1 to pn,
-- and a row f with weights w1 to wn and their sum total:
--
--   comb = Σ weight · part / Σ weight, in [0, 1]
--
-- The one definition, summed in the order of the measures: combine_run, combine_keep and combine_tune give equal
-- scores.
CREATE OR REPLACE FUNCTION combine_score(n integer)
RETURNS text
LANGUAGE sql IMMUTABLE
SET search_path = stc, public, pg_temp
RETURN (SELECT format('least(1, (%s) / f.total)', string_agg(format('c.p%1$s * f.w%1$s', i), ' + ' ORDER BY i))
          FROM generate_series(1, combine_score.n) i);
COMMENT ON FUNCTION combine_score(integer) IS 'The score of a stated combination of n measures, as a term of SQL';
