-- student_t_quantile: the t whose two-sided p is the given one (student_t_p), for an integer number of degrees of
-- freedom; NULL for NULL, p outside 0 to 1, or df below 1.
--
-- Found by bisection between 0 and a bound with a smaller p. p = 0 gives Infinity. student_t_p has an absolute error of
-- about 1e-14, so t has a relative error of about 1e-14 / p.
CREATE OR REPLACE FUNCTION student_t_quantile(p double precision, df integer) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    low double precision := 0;
    high double precision := 1;
    middle double precision;
BEGIN
    IF student_t_quantile.p IS NULL OR NOT student_t_quantile.p BETWEEN 0 AND 1 OR NOT student_t_quantile.df > 0 THEN
        RETURN NULL;
    ELSIF student_t_quantile.p = 0 THEN
        RETURN 'Infinity';
    ELSIF student_t_quantile.p = 1 THEN
        RETURN 0;
    END IF;
    WHILE student_t_p(high, student_t_quantile.df) > student_t_quantile.p LOOP
        low := high;
        high := 2 * high;
    END LOOP;
    LOOP
        middle := (low + high) / 2;
        EXIT WHEN middle <= low OR middle >= high;
        IF student_t_p(middle, student_t_quantile.df) > student_t_quantile.p THEN
            low := middle;
        ELSE
            high := middle;
        END IF;
    END LOOP;
    RETURN middle;
END
$$;
COMMENT ON FUNCTION student_t_quantile(double precision, integer) IS
    'The t whose two-sided p is the given one, for df degrees of freedom';
