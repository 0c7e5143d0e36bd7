-- student_t_p: two-sided p of Student's t with an integer number of degrees of freedom; NULL if t is NULL or df is
-- below 1.
--
--   p = 1 - A(t | df), and with u = atan(|t| / sqrt(df))
--   A = 2/π · (u + sin u · (cos u + 2/3 cos³u + … + (2 · 4 … (df - 3)) / (3 · 5 … (df - 2)) cos^(df - 2) u))
--       df odd; 2u/π for 1
--   A = sin u · (1 + 1/2 cos²u + … + (1 · 3 … (df - 3)) / (2 · 4 … (df - 2)) cos^(df - 2) u)                   df even
--       (Abramowitz & Stegun, 26.7.3 and 26.7.4)
--
-- Exact except for rounding errors of about 1e-14; smaller values of p are not reliable.
CREATE OR REPLACE FUNCTION student_t_p(t double precision, df integer) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    u CONSTANT double precision := CASE WHEN student_t_p.df > 0
                                        THEN atan(abs(student_t_p.t) / sqrt(student_t_p.df::double precision)) END;
    odd CONSTANT boolean := student_t_p.df % 2 = 1;
    term double precision := CASE WHEN odd THEN cos(u) ELSE 1 END;
    series double precision := 0;
    power integer := CASE WHEN odd THEN 1 ELSE 0 END;  -- exponent of the cosine in term
BEGIN
    IF u IS NULL OR student_t_p.t = 'NaN' THEN
        RETURN NULL;
    END IF;
    WHILE power <= student_t_p.df - 2 LOOP
        series := series + term;
        power := power + 2;
        IF term < 1e-300 THEN  -- later terms are smaller
            EXIT;
        END IF;
        term := term * cos(u) ^ 2 * (power - 1) / power;
    END LOOP;
    RETURN greatest(0, least(1, 1 - CASE WHEN odd THEN 2 / pi() * (u + sin(u) * series) ELSE sin(u) * series END));
END
$$;
COMMENT ON FUNCTION student_t_p(double precision, integer) IS
    'The two-sided p of Student''s t with df degrees of freedom; accurate to about 1e-14';
