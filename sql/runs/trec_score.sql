-- trec_score: a score as trec_eval 9 holds it, in single precision; runs are ranked by it.
--
-- What single precision cannot hold becomes infinite or 0, as a C cast does; PostgreSQL's own cast raises an error
-- there. The bounds are the middle between the largest float and the next power of two, and half the smallest positive
-- float.
CREATE OR REPLACE FUNCTION trec_score(score double precision) RETURNS real
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN abs(score) < 3.4028235677973366e38 AND abs(score) > 7.006492321624085e-46 THEN score::real
                WHEN abs(score) <= 7.006492321624085e-46 THEN 0::real
                WHEN score = 'NaN' THEN 'NaN'::real
                WHEN score > 0 THEN 'Infinity'::real
                ELSE '-Infinity'::real END
$$;
COMMENT ON FUNCTION trec_score(double precision) IS 'A score in single precision, as trec_eval 9 compares it';
