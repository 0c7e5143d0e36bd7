-- term_frequency: how often a word occurs in a tsvector that holds it, 1 to 255.
--
-- unnest(tsv) tells it too, but takes the whole vector apart for one word. With all weights 1, ts_rank of a single word
-- is
--   (1/1² + 1/2² + … + 1/n²) / (π²/6)
-- and what is missing of the sum is 1/(n + ½) to within 1/(12n³): solved for n and rounded this is exact for every n a
-- tsvector can hold (PostgreSQL's src/backend/utils/adt/tsrank.c, calc_rank_or).
CREATE OR REPLACE FUNCTION term_frequency(tsv tsvector, term tsquery)
RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN round(1 / ((1 - ts_rank('{1, 1, 1, 1}', tsv, term)::double precision) * 1.6449340668482264) - 0.5)::integer;
COMMENT ON FUNCTION term_frequency(tsvector, tsquery) IS
'Occurrences of one word in a tsvector that holds it, up to 255';
