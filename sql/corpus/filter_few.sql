-- filter_few: how many documents a filter may let through for all of them to be scored, exactly, rather than an index
-- walked until k of them have come by.
--
-- Scoring costs n, walking some k · rows / n: they meet at n = √(k · rows). At least 1,000, at most 50,000.
CREATE OR REPLACE FUNCTION filter_few(k integer, rows double precision)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(50000, greatest(1000, sqrt(k * greatest(rows, 0))))::bigint;
COMMENT ON FUNCTION filter_few(integer, double precision) IS
'How many filtered documents are few enough to score all of them';
