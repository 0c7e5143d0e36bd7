-- plausible_year: a year of publication, or NULL where it cannot be one: before 1000 (records have 0), or beyond next
-- year.
--
-- SQL that is inlined, hence without SET.
CREATE OR REPLACE FUNCTION plausible_year(year integer)
RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN plausible_year.year BETWEEN 1000 AND extract(YEAR FROM now())::integer + 1
            THEN plausible_year.year END;
COMMENT ON FUNCTION plausible_year(integer) IS
'The year, or NULL where no document can be of it: before 1000, or beyond next year';
