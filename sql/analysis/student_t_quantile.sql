-- student_t_quantile: the quantile of Student's t with an integer number of degrees of freedom, for p from 1/2 to 1;
-- NULL for other p, NULL, or df below 1.
--
-- The t with P(|T| > t) = 2 (1 - p) (student_t_p), by bisection. Accurate to about 1e-12.
CREATE OR REPLACE FUNCTION student_t_quantile(p double precision, df integer) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    low double precision := 0;
    high double precision := 1;
    middle double precision;
BEGIN
    IF student_t_quantile.p IS NULL OR NOT student_t_quantile.p BETWEEN 0.5 AND 1 - 1e-9
       OR student_t_quantile.df IS NULL OR student_t_quantile.df < 1
    THEN
        RETURN NULL;
    END IF;
    WHILE student_t_p(high, student_t_quantile.df) > 2 * (1 - student_t_quantile.p) LOOP
        high := 2 * high;
    END LOOP;
    FOR turn IN 1..60 LOOP
        middle := (low + high) / 2;
        IF student_t_p(middle, student_t_quantile.df) > 2 * (1 - student_t_quantile.p) THEN
            low := middle;
        ELSE
            high := middle;
        END IF;
    END LOOP;
    RETURN middle;
END
$$;
COMMENT ON FUNCTION student_t_quantile(double precision, integer) IS
    'The quantile of Student''s t with df degrees of freedom, for p between 1/2 and 1; accurate to about 1e-12';
