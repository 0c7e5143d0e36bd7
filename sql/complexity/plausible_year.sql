-- plausible_year: a year of publication, or NULL if it is before 1000 (some records have 0) or later than next year.
--
-- Without SET, so that PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION plausible_year(year integer)
RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN plausible_year.year BETWEEN 1000 AND extract(YEAR FROM now())::integer + 1
            THEN plausible_year.year END;
COMMENT ON FUNCTION plausible_year(integer) IS
'Year of publication, or NULL if it is before 1000 or later than next year';
