-- term_frequency: the number of occurrences of a word in a tsvector that contains it, from 1 to 255.
--
-- unnest(tsv) would return it too, but expands the whole vector for one word. With all weights 1, ts_rank of a single
-- word is
--   (1/1² + 1/2² + … + 1/n²) / (π²/6)
-- and the missing part of the sum is 1/(n + ½) to within 1/(12n³). Solved for n and rounded, this is exact for every n
-- a tsvector can store (PostgreSQL's src/backend/utils/adt/tsrank.c, calc_rank_or).
CREATE OR REPLACE FUNCTION term_frequency(tsv tsvector, term tsquery)
RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN round(1 / ((1 - ts_rank('{1, 1, 1, 1}', tsv, term)::double precision) * 1.6449340668482264) - 0.5)::integer;
COMMENT ON FUNCTION term_frequency(tsvector, tsquery) IS
'Number of occurrences of a word in a tsvector that contains it, at most 255';
