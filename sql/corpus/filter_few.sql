-- filter_few: the largest number of filtered documents to score exactly; if a filter matches more, the index is scanned
-- until k of them are found.
--
-- Scoring costs n, scanning about k · rows / n: they are equal at n = √(k · rows). At least 1,000, at most 50,000.
CREATE OR REPLACE FUNCTION filter_few(k integer, rows double precision)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(50000, greatest(1000, sqrt(k * greatest(rows, 0))))::bigint;
COMMENT ON FUNCTION filter_few(integer, double precision) IS
'Number of filtered documents up to which all of them are scored exactly';
