-- fading: base to the power of place - 1, for the n-th document of a subtopic and for ranks; 0 below 1e-130, because
-- PostgreSQL raises an error on underflow, also of the product of two.
CREATE OR REPLACE FUNCTION fading(base double precision, place bigint) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN place = 1 THEN 1 WHEN base <= 0 OR (place - 1) * ln(base) < -300 THEN 0 ELSE base ^ (place - 1) END
$$;
COMMENT ON FUNCTION fading(double precision, bigint) IS 'base to the power of place - 1; 0 instead of an underflow';
