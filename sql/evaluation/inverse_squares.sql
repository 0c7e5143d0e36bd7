-- inverse_squares: sum of 1 / (x + n)² over n = 0, 1, 2, …, for x of 1 or more; the trigamma function.
--
-- The sum of 1 / i² over i from a to b - 1 is inverse_squares(a) - inverse_squares(b), also for non-integer a and b.
--
-- The first ten terms are summed directly; the rest is the asymptotic series at y = x + 10: 1/y + 1/(2 y²) + 1/(6 y³) -
-- 1/(30 y⁵) + 1/(42 y⁷) - 1/(30 y⁹) + 5/(66 y¹¹) (Abramowitz & Stegun, Handbook of Mathematical Functions, 6.4.12),
-- accurate to 1e-14.
CREATE OR REPLACE FUNCTION inverse_squares(x double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT x ^ -2 + (x + 1) ^ -2 + (x + 2) ^ -2 + (x + 3) ^ -2 + (x + 4) ^ -2 + (x + 5) ^ -2 + (x + 6) ^ -2
           + (x + 7) ^ -2
         + (x + 8) ^ -2 + (x + 9) ^ -2 + (x + 10) ^ -1 + (x + 10) ^ -2 / 2 + (x + 10) ^ -3 / 6 - (x + 10) ^ -5 / 30
         + (x + 10) ^ -7 / 42 - (x + 10) ^ -9 / 30 + (x + 10) ^ -11 * 5 / 66
$$;
COMMENT ON FUNCTION inverse_squares(double precision) IS
    'The sum of 1 / (x + n)² over n = 0, 1, 2, … (trigamma), for x of 1 or more';
