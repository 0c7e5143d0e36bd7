-- trec_score: score in single precision, as trec_eval 9 stores it; runs are ranked by it.
--
-- Values outside the range of single precision become infinite or 0, as in a C cast; PostgreSQL's own cast raises an
-- error. The bounds are the midpoint between the largest float and the next power of two, and half the smallest
-- positive float.
CREATE OR REPLACE FUNCTION trec_score(score double precision) RETURNS real
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN abs(score) < 3.4028235677973366e38 AND abs(score) > 7.006492321624085e-46 THEN score::real
                WHEN abs(score) <= 7.006492321624085e-46 THEN 0::real
                WHEN score = 'NaN' THEN 'NaN'::real
                WHEN score > 0 THEN 'Infinity'::real
                ELSE '-Infinity'::real END
$$;
COMMENT ON FUNCTION trec_score(double precision) IS
    'A score in single precision, as trec_eval 9 compares it; values out of range become infinite or 0';
